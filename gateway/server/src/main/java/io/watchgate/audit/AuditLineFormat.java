package io.watchgate.audit;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.auth.Caller;
import io.watchgate.error.ReasonName;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.select.SelectionLimits;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Text of a line of the audit log. A line has the caller, the selection and the reason. It is JSON,
 * so that text from a client (its name, its selectors) cannot imitate other fields. It has no token
 * and no object data. Texts from clients are cut ({@link AuditSettings#MAX_TEXT}).
 */
final class AuditLineFormat {
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private AuditLineFormat() {}

  private static JsonObject newLine(AuditLog.Event event, long now) {
    JsonObject line = new JsonObject();
    line.addProperty("time", Instant.ofEpochMilli(now).toString());
    line.addProperty("event", event.name().toLowerCase(Locale.ROOT));
    return line;
  }

  /** Returns the line that sums up events without a line of their own. */
  static String summary(AuditAggregator.Summary summary, long now) {
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
      line.addProperty("reason", ReasonName.of(key.reason()));
    }
    return GSON.toJson(line);
  }

  /**
   * Returns the line of an event.
   *
   * @param reason UNSPECIFIED: none
   * @param end null: the stream did not begin
   * @param now in milliseconds of the Unix epoch
   */
  static String line(
      AuditLog.Event event,
      AuditLog.Subject subject,
      ErrorReason reason,
      AuditLog.@Nullable StreamEnd end,
      long now) {
    JsonObject line = newLine(event, now);
    if (!subject.stream().isEmpty()) {
      line.addProperty("stream", subject.stream());
    }
    Caller caller = subject.caller();
    if (caller == null) {
      line.addProperty("credentials", subject.credentials());
    } else {
      line.addProperty("user", cut(caller.user()));
      line.add("groups", texts(caller.identity().groups()));
    }
    line.addProperty("address", subject.address());
    if (subject.port() != 0) {
      line.addProperty("port", subject.port());
    }
    line.addProperty("verb", subject.verb().text());
    if (!subject.client().isEmpty()) {
      line.addProperty("client", cut(subject.client()));
    }
    if (!subject.traceparent().isEmpty()) {
      line.addProperty("traceparent", subject.traceparent());
    }
    Selection selection = subject.selection();
    ResourceType type = selection.getResourceType();
    line.addProperty("resource", cut(type.getResource()));
    line.addProperty("group", cut(type.getGroup()));
    line.add("namespaces", texts(selection.getNamespacesList()));
    line.addProperty("labelSelector", cut(selection.getLabelSelector()));
    line.addProperty("fieldSelector", cut(selection.getFieldSelector()));
    if (reason != ErrorReason.ERROR_REASON_UNSPECIFIED) {
      line.addProperty("reason", ReasonName.of(reason));
    }
    if (end != null) {
      if (!end.endedBy().isEmpty()) {
        line.addProperty("reason", end.endedBy());
      }
      line.addProperty("seconds", end.lasted().toMillis() / 1e3);
      line.addProperty("bytes", end.bytes());
    }
    return GSON.toJson(line);
  }

  private static JsonArray texts(List<String> texts) {
    JsonArray array = new JsonArray();
    texts.stream()
        .limit(SelectionLimits.MAX_NAMESPACES)
        .map(AuditLineFormat::cut)
        .forEach(array::add);
    return array;
  }

  private static String cut(String text) {
    return cut(text, AuditSettings.MAX_TEXT);
  }

  /** Returns the text, cut after {@code most} characters. */
  static String cut(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    // Half of a surrogate pair is not valid text, and cannot be encoded in UTF-8.
    boolean within = Character.isHighSurrogate(text.charAt(most - 1));
    return text.substring(0, within ? most - 1 : most) + "…";
  }
}
