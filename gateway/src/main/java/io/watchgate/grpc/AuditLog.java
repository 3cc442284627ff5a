package io.watchgate.grpc;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
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
 * nothing of any object. Thread-safe.
 */
public final class AuditLog {
  /** Writes nothing. */
  public static final AuditLog NONE = new AuditLog(null, InstantSource.system());

  /** What clients send is cut there: a selector has 4 KiB, names of namespaces are 64. */
  private static final int MOST_TEXT = 1_024;

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private final @Nullable Consumer<String> lines;
  private final InstantSource clock;

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
  public AuditLog(@Nullable Consumer<String> lines, InstantSource clock) {
    this.lines = lines;
    this.clock = clock;
  }

  /**
   * Whose call it is.
   *
   * @param caller null while nobody knows
   * @param stream empty while it has no id
   * @param selection as it was asked for
   */
  record Subject(
      @Nullable Caller caller, String address, String client, String stream, Selection selection) {}

  /**
   * An end.
   *
   * @param by who ended it, where no reason was sent: {@code client}, {@code connection}, {@code
   *     keepalive}, {@code internal}; else empty
   */
  record Length(Duration lasted, String by) {}

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
    JsonObject line = new JsonObject();
    line.addProperty("time", Instant.ofEpochMilli(clock.millis()).toString());
    line.addProperty("event", event.name().toLowerCase(Locale.ROOT));
    if (!subject.stream.isEmpty()) {
      line.addProperty("stream", subject.stream);
    }
    Caller caller = subject.caller;
    if (caller != null) {
      line.addProperty("user", cut(caller.user()));
      line.add("groups", texts(caller.identity().groups()));
    }
    line.addProperty("address", subject.address);
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
      line.addProperty("reason", ErrorModel.name(reason));
    }
    if (length != null) {
      if (!length.by.isEmpty()) {
        line.addProperty("reason", length.by);
      }
      line.addProperty("seconds", length.lasted.toMillis() / 1e3);
    }
    to.accept(GSON.toJson(line));
  }

  private static JsonArray texts(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.stream()
        .limit(io.watchgate.select.Selection.MAX_NAMESPACES)
        .map(AuditLog::cut)
        .forEach(array::add);
    return array;
  }

  private static String cut(String text) {
    if (text.length() <= MOST_TEXT) {
      return text;
    }
    // Half a character is no text, and a file of UTF-8 takes none.
    boolean within = Character.isHighSurrogate(text.charAt(MOST_TEXT - 1));
    return text.substring(0, within ? MOST_TEXT - 1 : MOST_TEXT) + "…";
  }
}
