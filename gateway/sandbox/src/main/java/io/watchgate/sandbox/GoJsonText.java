package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writer of JSON in the form of Go's encoder, which the apiserver uses. It escapes {@code <},
 * {@code >}, {@code &}, U+2028 and U+2029, and otherwise only what must be escaped. Numbers are
 * written as received. Gson would escape more or fewer characters.
 */
final class GoJsonText {
  private static final String HEX = "0123456789abcdef";

  private final StringBuilder out = new StringBuilder(1024);
  private final Order order;

  /** Order of the members of an object. */
  enum Order {
    AS_GIVEN,
    SORTED
  }

  private GoJsonText(Order order) {
    this.order = order;
  }

  static byte[] bytes(JsonElement value, Order order) {
    return text(value, order).getBytes(StandardCharsets.UTF_8);
  }

  static String text(JsonElement value, Order order) {
    GoJsonText text = new GoJsonText(order);
    text.value(value);
    return text.out.toString();
  }

  /** Returns the text as a JSON string. */
  static String quoted(String text) {
    return text(new JsonPrimitive(text), Order.AS_GIVEN);
  }

  private void value(JsonElement value) {
    switch (value) {
      case JsonObject object -> object(object);
      case JsonArray array -> array(array);
      case JsonPrimitive primitive when primitive.isString() -> string(primitive.getAsString());
      default -> out.append(value.isJsonNull() ? "null" : value.getAsString());
    }
  }

  private void object(JsonObject object) {
    Map<String, JsonElement> members =
        order == Order.SORTED ? new TreeMap<>(object.asMap()) : object.asMap();
    String separator = "{";
    for (Map.Entry<String, JsonElement> member : members.entrySet()) {
      out.append(separator);
      string(member.getKey());
      out.append(':');
      value(member.getValue());
      separator = ",";
    }
    out.append(members.isEmpty() ? "{}" : "}");
  }

  private void array(JsonArray array) {
    out.append('[');
    for (Iterator<JsonElement> elements = array.iterator(); elements.hasNext(); ) {
      value(elements.next());
      if (elements.hasNext()) {
        out.append(',');
      }
    }
    out.append(']');
  }

  private void string(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        case '<', '>', '&', '\u2028', '\u2029' -> escape(c);
        default -> {
          if (c < ' ') {
            escape(c);
          } else if (Character.isSurrogate(c) && !paired(text, i)) {
            out.append("\\ufffd"); // an unpaired surrogate is no character
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  private static boolean paired(String text, int at) {
    return Character.isHighSurrogate(text.charAt(at))
        ? at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1))
        : at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
  }

  private void escape(char c) {
    out.append("\\u");
    for (int shift = 12; shift >= 0; shift -= 4) {
      out.append(HEX.charAt((c >> shift) & 0xf));
    }
  }
}
