package io.watchgate.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Forms of JSON in cases, beside those of protobuf: bytes as readable text, and text that is long.
 *
 * <ul>
 *   <li>{@code {"utf8": TEXT}} is the bytes of a text, {@code {"json": VALUE}} those of a value
 *   <li>{@code {"repeat": TEXT, "times": NUMBER}} is a text
 * </ul>
 */
final class CaseText {
  private CaseText() {}

  /** Returns the value with its forms replaced, as protobuf reads it: bytes are base64. */
  static JsonElement expand(JsonElement value) {
    if (value instanceof JsonArray array) {
      JsonArray expanded = new JsonArray();
      array.forEach(element -> expanded.add(expand(element)));
      return expanded;
    }
    if (!(value instanceof JsonObject object)) {
      return value;
    }
    JsonObject expanded = new JsonObject();
    object.entrySet().forEach(field -> expanded.add(field.getKey(), expand(field.getValue())));
    return switch (String.join(" ", expanded.keySet())) {
      case "utf8" -> base64(expanded.get("utf8").getAsString());
      case "json" -> base64(expanded.get("json").toString());
      case "repeat times" ->
          new JsonPrimitive(
              expanded.get("repeat").getAsString().repeat(expanded.get("times").getAsInt()));
      default -> expanded;
    };
  }

  private static JsonPrimitive base64(String text) {
    return new JsonPrimitive(
        Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Returns whether the values are equal, numbers by all of their digits. */
  static boolean areEqual(JsonElement one, JsonElement other) {
    return includes(one, other) && includes(other, one);
  }

  /** Returns whether a value has at least all fields of another one, at any depth. */
  static boolean includes(JsonElement value, JsonElement part) {
    if (value instanceof JsonObject object && part instanceof JsonObject fields) {
      return fields.entrySet().stream().allMatch(field -> hasField(object, field));
    }
    if (value instanceof JsonArray array && part instanceof JsonArray elements) {
      return array.size() == elements.size()
          && IntStream.range(0, array.size())
              .allMatch(i -> includes(array.get(i), elements.get(i)));
    }
    boolean areNumbers = isNumber(value) && isNumber(part);
    return areNumbers
        ? new BigDecimal(value.getAsString()).compareTo(new BigDecimal(part.getAsString())) == 0
        : value.equals(part);
  }

  private static boolean hasField(JsonObject object, Map.Entry<String, JsonElement> field) {
    return object.has(field.getKey()) && includes(object.get(field.getKey()), field.getValue());
  }

  private static boolean isNumber(JsonElement value) {
    return value instanceof JsonPrimitive primitive && primitive.isNumber();
  }
}
