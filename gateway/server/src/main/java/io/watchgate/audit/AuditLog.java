package io.watchgate.audit;

import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.Caller;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Audit log with one line ({@link AuditLineFormat}) for each list, and for each stream that is
 * opened, denied or ended. Denials that repeat, and the events of a caller above its bound, are
 * summarized: see {@link AuditSettings}. Thread-safe.
 */
public final class AuditLog implements AutoCloseable {
  /** Audit log that writes nothing. */
  public static final AuditLog NONE =
      new AuditLog(null, InstantSource.system(), AuditSettings.DEFAULTS);

  private final @Nullable Consumer<String> lines;
  private final InstantSource clock;
  private final AuditAggregator aggregator;

  /** Kind of an audit event. */
  public enum Event {
    OPENED,
    DENIED,
    ENDED,
    LISTED
  }

  /**
   * @param lines takes each line, without its line end
   */
  public AuditLog(@Nullable Consumer<String> lines, InstantSource clock, AuditSettings settings) {
    this.lines = lines;
    this.clock = clock;
    this.aggregator = new AuditAggregator(settings);
  }

  /**
   * Caller and selection of an audited call.
   *
   * @param verb watch for a stream, list for a page of a list
   * @param caller null while the caller is unknown
   * @param credentials kind of what the call presented; written while the caller is unknown
   * @param port port of the caller, 0 if there is none
   * @param stream empty while it has no id
   * @param traceparent {@link io.watchgate.fanout.TraceParent} of the call; empty if it has none
   * @param selection as requested
   */
  public record Subject(
      AccessAttributes.Verb verb,
      @Nullable Caller caller,
      String credentials,
      String address,
      int port,
      String client,
      String stream,
      String traceparent,
      Selection selection) {
    private AuditAggregator.Key key(Event event, ErrorReason reason) {
      ResourceType type = selection.getResourceType();
      boolean isNamed = caller != null && !caller.isAnonymous();
      return new AuditAggregator.Key(
          event,
          caller == null ? "" : AuditLineFormat.cut(caller.user(), AuditSettings.MAX_KEPT_TEXT),
          caller == null ? credentials : "",
          isNamed ? "" : address,
          verb,
          AuditLineFormat.cut(type.getGroup(), AuditSettings.MAX_KEPT_TEXT),
          AuditLineFormat.cut(type.getResource(), AuditSettings.MAX_KEPT_TEXT),
          selection.getNamespacesList().stream()
              .limit(AuditSettings.MAX_KEPT_NAMESPACES)
              .map(namespace -> AuditLineFormat.cut(namespace, AuditSettings.MAX_KEPT_TEXT))
              .toList(),
          reason);
    }
  }

  /**
   * Duration, size and cause of a stream that ended.
   *
   * @param bytes sum of the bytes of all responses
   * @param endedBy the side that ended it, if no reason was sent: {@code client}, {@code
   *     connection}, {@code keepalive}, {@code unread}, {@code internal}; else empty
   */
  public record StreamEnd(Duration lasted, long bytes, String endedBy) {}

  /**
   * Returns whether lines are written, so that the selection of a stream has to be kept for them.
   */
  public boolean isEnabled() {
    return lines != null;
  }

  /**
   * Writes a line.
   *
   * @param reason UNSPECIFIED: none
   */
  public void write(Event event, Subject subject, ErrorReason reason) {
    write(event, subject, reason, null);
  }

  /**
   * Writes a line.
   *
   * @param reason UNSPECIFIED: none
   * @param end null: the stream did not begin
   */
  public void write(Event event, Subject subject, ErrorReason reason, @Nullable StreamEnd end) {
    Consumer<String> to = lines;
    if (to == null) {
      return;
    }
    long now = clock.millis();
    AuditAggregator.Outcome outcome =
        aggregator.add(subject.key(event, reason), subject.address, now);
    writeSummaries(outcome.due(), now);
    if (outcome.line()) {
      to.accept(AuditLineFormat.line(event, subject, reason, end, now));
    }
  }

  /** Writes the summaries that are due. To be called about once a second. */
  public void tick() {
    long now = clock.millis();
    writeSummaries(aggregator.drainDue(now), now);
  }

  /** Writes all summaries, including those that are not due. */
  @Override
  public void close() {
    writeSummaries(aggregator.drain(), clock.millis());
  }

  private void writeSummaries(List<AuditAggregator.Summary> summaries, long now) {
    Consumer<String> to = lines;
    if (to != null) {
      summaries.forEach(summary -> to.accept(AuditLineFormat.summary(summary, now)));
    }
  }

  /**
   * Returns the number of events so far that got no line of their own, but were counted in a
   * summary.
   */
  public long summarizedEvents() {
    return aggregator.summarizedEvents();
  }
}
