package io.watchgate.grpc;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.auth.AccessAttributes;
import io.watchgate.auth.Caller;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Audit log with one line for each list, and for each stream that is opened, denied or ended. A
 * line has the caller, the selection and the reason. It is JSON, so that text from a client (its
 * name, its selectors) cannot imitate other fields. It has no token and no object data. Denials
 * that repeat, and the events of a caller above its bound, are summed up: see {@link
 * AuditSettings}. Thread-safe.
 */
public final class AuditLog implements AutoCloseable {
  /** Audit log that writes nothing. */
  public static final AuditLog NONE =
      new AuditLog(null, InstantSource.system(), AuditSettings.DEFAULTS);

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

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
   * @param port of the caller, 0 if there is none
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
          caller == null ? "" : cut(caller.user(), AuditSettings.MAX_KEPT_TEXT),
          caller == null ? credentials : "",
          isNamed ? "" : address,
          verb,
          cut(type.getGroup(), AuditSettings.MAX_KEPT_TEXT),
          cut(type.getResource(), AuditSettings.MAX_KEPT_TEXT),
          selection.getNamespacesList().stream()
              .limit(AuditSettings.MAX_KEPT_NAMESPACES)
              .map(namespace -> cut(namespace, AuditSettings.MAX_KEPT_TEXT))
              .toList(),
          reason);
    }
  }

  /**
   * Duration, size and cause of a stream that ended.
   *
   * @param bytes of all responses
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
      to.accept(line(event, subject, reason, end, now));
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
      summaries.forEach(summary -> to.accept(line(summary, now)));
    }
  }

  /**
   * Returns the number of events so far that got no line of their own, but were counted in a
   * summary.
   */
  public long summarizedEvents() {
    return aggregator.summarizedEvents();
  }

  private static JsonObject newLine(Event event, long now) {
    JsonObject line = new JsonObject();
    line.addProperty("time", Instant.ofEpochMilli(now).toString());
    line.addProperty("event", event.name().toLowerCase(Locale.ROOT));
    return line;
  }

  private static String line(AuditAggregator.Summary summary, long now) {
    AuditAggregator.Key key = summary.key();
    JsonObject line = newLine(key.event(), now);
    line.addProperty("repeated", summary.count());
    line.addProperty("first", Instant.ofEpochMilli(summary.first()).toString());
    line.addProperty("last", Instant.ofEpochMilli(summary.last()).toString());
    if (!key.user().isEmpty()) {
      line.addProperty("user", key.user());
    }
    if (!key.credentials().isEmpty()) {
      line.addProperty("credentials", key.credentials());
    }
    line.addProperty("address", summary.address());
    line.addProperty("verb", key.verb().text());
    if (!key.resource().isEmpty()) {
      line.addProperty("resource", key.resource());
      line.addProperty("group", key.group());
      line.add("namespaces", texts(key.namespaces()));
    }
    if (key.reason() != ErrorReason.ERROR_REASON_UNSPECIFIED) {
      line.addProperty("reason", GrpcErrors.name(key.reason()));
    }
    return GSON.toJson(line);
  }

  private static String line(
      Event event, Subject subject, ErrorReason reason, @Nullable StreamEnd end, long now) {
    JsonObject line = newLine(event, now);
    if (!subject.stream.isEmpty()) {
      line.addProperty("stream", subject.stream);
    }
    Caller caller = subject.caller;
    if (caller == null) {
      line.addProperty("credentials", subject.credentials);
    } else {
      line.addProperty("user", cut(caller.user()));
      line.add("groups", texts(caller.identity().groups()));
    }
    line.addProperty("address", subject.address);
    if (subject.port != 0) {
      line.addProperty("port", subject.port);
    }
    line.addProperty("verb", subject.verb.text());
    if (!subject.client.isEmpty()) {
      line.addProperty("client", cut(subject.client));
    }
    if (!subject.traceparent.isEmpty()) {
      line.addProperty("traceparent", subject.traceparent);
    }
    Selection selection = subject.selection;
    ResourceType type = selection.getResourceType();
    line.addProperty("resource", cut(type.getResource()));
    line.addProperty("group", cut(type.getGroup()));
    line.add("namespaces", texts(selection.getNamespacesList()));
    line.addProperty("labelSelector", cut(selection.getLabelSelector()));
    line.addProperty("fieldSelector", cut(selection.getFieldSelector()));
    if (reason != ErrorReason.ERROR_REASON_UNSPECIFIED) {
      line.addProperty("reason", GrpcErrors.name(reason));
    }
    if (end != null) {
      if (!end.endedBy.isEmpty()) {
        line.addProperty("reason", end.endedBy);
      }
      line.addProperty("seconds", end.lasted().toMillis() / 1e3);
      line.addProperty("bytes", end.bytes());
    }
    return GSON.toJson(line);
  }

  private static JsonArray texts(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.stream()
        .limit(io.watchgate.select.SelectionLimits.MAX_NAMESPACES)
        .map(AuditLog::cut)
        .forEach(array::add);
    return array;
  }

  private static String cut(String text) {
    return cut(text, AuditSettings.MAX_TEXT);
  }

  private static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    // Half of a surrogate pair is not valid text, and cannot be encoded in UTF-8.
    boolean within = Character.isHighSurrogate(text.charAt(most - 1));
    return text.substring(0, within ? most - 1 : most) + "…";
  }
}
