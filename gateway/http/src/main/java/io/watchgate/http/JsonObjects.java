package io.watchgate.http;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;

/** Factory of JSON objects. */
public final class JsonObjects {
  private JsonObjects() {}

  /**
   * Returns an object with these members, in this order.
   *
   * @param namesAndValues a name, its value, the next name, and so on; a value is a {@link
   *     JsonElement}, a text, a number or a boolean
   */
  public static JsonObject of(Object... namesAndValues) {
    JsonObject object = new JsonObject();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.add((String) namesAndValues[i], element(namesAndValues[i + 1]));
    }
    return object;
  }

  private static JsonElement element(Object value) {
    return switch (value) {
      case JsonElement element -> element;
      case String text -> new JsonPrimitive(text);
      case Number number -> new JsonPrimitive(number);
      case Boolean bool -> new JsonPrimitive(bool);
      default -> throw new IllegalArgumentException("no JSON: " + value);
    };
  }
}
