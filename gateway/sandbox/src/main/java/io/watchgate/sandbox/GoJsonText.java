package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.watchgate.http.HttpJsonText;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Writer of stored objects as JSON in the form of Go's encoder, which the apiserver uses. Numbers
 * are written as received.
 */
final class GoJsonText {
  /** Half of a surrogate pair without the other half, which is no character. */
  private static final Pattern UNPAIRED_SURROGATE = Pattern.compile("[\\ud800-\\udfff]");

  private GoJsonText() {}

  /** Order of the members of an object. */
  enum Order {
    AS_GIVEN,
    SORTED
  }

  static byte[] bytes(JsonElement value, Order order) {
    return text(value, order).getBytes(StandardCharsets.UTF_8);
  }

  static String text(JsonElement value, Order order) {
    String json = HttpJsonText.of(order == Order.SORTED ? sorted(value) : value);
    return UNPAIRED_SURROGATE.matcher(json).replaceAll("\\\\ufffd");
  }

  /** Returns the text as a JSON string. */
  static String quoted(String text) {
    return text(new JsonPrimitive(text), Order.AS_GIVEN);
  }

  private static JsonElement sorted(JsonElement value) {
    return switch (value) {
      case JsonObject object -> {
        JsonObject sorted = new JsonObject();
        new TreeMap<>(object.asMap()).forEach((name, member) -> sorted.add(name, sorted(member)));
        yield sorted;
      }
      case JsonArray array -> {
        JsonArray sorted = new JsonArray(array.size());
        array.forEach(element -> sorted.add(sorted(element)));
        yield sorted;
      }
      default -> value;
    };
  }
}
