package io.watchgate.cli.output;

import com.google.gson.JsonElement;
import io.watchgate.proto.v1.EventType;
import org.jspecify.annotations.Nullable;

/**
 * One difference between two states of an object.
 *
 * @param path path of the field; in braces also a JSONPath: {@code .status.phase}
 * @param before null if the field did not exist
 * @param after null if the field no longer exists
 */
record FieldChange(String path, @Nullable JsonElement before, @Nullable JsonElement after) {
  /** Length above which a value is cut: of a long value, only the fact that it changed matters. */
  private static final int MAX_LENGTH = 160;

  EventType type() {
    if (before == null) {
      return EventType.EVENT_TYPE_ADDED;
    }
    return after == null ? EventType.EVENT_TYPE_DELETED : EventType.EVENT_TYPE_MODIFIED;
  }

  /** Returns {@code ~ .status.phase: "Pending" → "Running"}. */
  String line() {
    StringBuilder line = new StringBuilder();
    line.append(RowStyle.sign(type())).append(' ').append(path).append(':');
    if (before != null) {
      line.append(' ').append(value(before));
    }
    if (after != null) {
      line.append(before == null ? " " : " → ").append(value(after));
    }
    return TerminalEscaper.inLine(line.toString());
  }

  private static String value(JsonElement value) {
    String text = value.toString();
    if (text.length() <= MAX_LENGTH) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(MAX_LENGTH - 1)) ? MAX_LENGTH - 1 : MAX_LENGTH;
    return text.substring(0, end) + "… (" + (text.length() - end) + " more characters)";
  }
}
