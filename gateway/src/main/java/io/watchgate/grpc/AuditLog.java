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
 * A line for each stream that is opened, denied or ended, and each list: who, what, why. JSON, so
 * that what a client sends (its name, its selectors) cannot look like something else. No token and
 * nothing of any object. Denials that repeat, and what one caller causes beyond a bound, are summed
 * up: see {@link AuditSettings}. Thread-safe.
 */
public final class AuditLog implements AutoCloseable {
  /** Writes nothing. */
  public static final AuditLog NONE =
      new AuditLog(null, InstantSource.system(), AuditSettings.DEFAULTS);

  /** What clients send is cut there: a selector has 4 KiB, names of namespaces are 64. */
  private static final int MOST_TEXT = 1_024;

  /** In what is kept until a summary is written. */
  private static final int MOST_KEPT_TEXT = 253;

  private static final int MOST_KEPT_NAMESPACES = 8;

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private final @Nullable Consumer<String> lines;
  private final InstantSource clock;
  private final AuditAggregator sums;

  /** What happened. */
  enum Event {
    OPENED,
    DENIED,
    ENDED,
    LISTED
  }

  /**
   * @param lines takes each line, without its end
   */
  public AuditLog(@Nullable Consumer<String> lines, InstantSource clock, AuditSettings settings) {
    this.lines = lines;
    this.clock = clock;
    this.sums = new AuditAggregator(settings);
  }

  /**
   * Whose call it is.
   *
   * @param verb watch for a stream, list for a page of a list
   * @param caller null while nobody knows
   * @param port of the caller, 0 if there is none
   * @param stream empty while it has no id
   * @param selection as it was asked for
   */
  record Subject(
      AccessAttributes.Verb verb,
      @Nullable Caller caller,
      String address,
      int port,
      String client,
      String stream,
      Selection selection) {
    private AuditAggregator.Key key(Event event, ErrorReason reason) {
      ResourceType type = selection.getResourceType();
      boolean isNamed = caller != null && !caller.isAnonymous();
      return new AuditAggregator.Key(
          event,
          caller == null ? "" : cut(caller.user(), MOST_KEPT_TEXT),
          isNamed ? "" : address,
          verb,
          cut(type.getGroup(), MOST_KEPT_TEXT),
          cut(type.getResource(), MOST_KEPT_TEXT),
          selection.getNamespacesList().stream()
              .limit(MOST_KEPT_NAMESPACES)
              .map(namespace -> cut(namespace, MOST_KEPT_TEXT))
              .toList(),
          reason);
    }
  }

  /**
   * An end.
   *
   * @param bytes of all responses
   * @param by who ended it, where no reason was sent: {@code client}, {@code connection}, {@code
   *     keepalive}, {@code internal}; else empty
   */
  record Length(Duration lasted, long bytes, String by) {}

  /** Whether anything is written: then it is worth keeping what a stream asked for. */
  boolean isKept() {
    return lines != null;
  }

  /**
   * Writes a line.
   *
   * @param reason UNSPECIFIED: none
   */
  void write(Event event, Subject subject, ErrorReason reason) {
    write(event, subject, reason, null);
  }

  /**
   * Writes a line.
   *
   * @param reason UNSPECIFIED: none
   * @param length null: it did not begin
   */
  void write(Event event, Subject subject, ErrorReason reason, @Nullable Length length) {
    Consumer<String> to = lines;
    if (to == null) {
      return;
    }
    long now = clock.millis();
    AuditAggregator.Outcome outcome = sums.add(subject.key(event, reason), subject.address, now);
    outcome.due().forEach(summary -> to.accept(line(summary, now)));
    if (outcome.line()) {
      to.accept(line(event, subject, reason, length, now));
    }
  }

  /** Writes the summaries that are due. To be called about once a second. */
  public void tick() {
    Consumer<String> to = lines;
    if (to != null) {
      long now = clock.millis();
      sums.due(now).forEach(summary -> to.accept(line(summary, now)));
    }
  }

  /** Writes what is summed up so far. */
  @Override
  public void close() {
    Consumer<String> to = lines;
    if (to != null) {
      long now = clock.millis();
      sums.rest().forEach(summary -> to.accept(line(summary, now)));
    }
  }

  /** How many events so far got no line of their own, but are counted in one. */
  public long summed() {
    return sums.summed();
  }

  private static JsonObject begun(Event event, long now) {
    JsonObject line = new JsonObject();
    line.addProperty("time", Instant.ofEpochMilli(now).toString());
    line.addProperty("event", event.name().toLowerCase(Locale.ROOT));
    return line;
  }

  private static String line(AuditAggregator.Summary summary, long now) {
    AuditAggregator.Key key = summary.key();
    JsonObject line = begun(key.event(), now);
    line.addProperty("repeated", summary.count());
    line.addProperty("first", Instant.ofEpochMilli(summary.first()).toString());
    line.addProperty("last", Instant.ofEpochMilli(summary.last()).toString());
    if (!key.user().isEmpty()) {
      line.addProperty("user", key.user());
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
      Event event, Subject subject, ErrorReason reason, @Nullable Length length, long now) {
    JsonObject line = begun(event, now);
    if (!subject.stream.isEmpty()) {
      line.addProperty("stream", subject.stream);
    }
    Caller caller = subject.caller;
    if (caller != null) {
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
    if (length != null) {
      if (!length.by.isEmpty()) {
        line.addProperty("reason", length.by);
      }
      line.addProperty("seconds", length.lasted().toMillis() / 1e3);
      line.addProperty("bytes", length.bytes());
    }
    return GSON.toJson(line);
  }

  private static JsonArray texts(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.stream()
        .limit(io.watchgate.select.CompiledSelection.MAX_NAMESPACES)
        .map(AuditLog::cut)
        .forEach(array::add);
    return array;
  }

  private static String cut(String text) {
    return cut(text, MOST_TEXT);
  }

  private static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    // Half a character is no text, and a file of UTF-8 takes none.
    boolean within = Character.isHighSurrogate(text.charAt(most - 1));
    return text.substring(0, within ? most - 1 : most) + "…";
  }
}
