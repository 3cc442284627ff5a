package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lenient access to the members of JSON that a client sent. A member of another shape counts as
 * absent, and never causes an exception. The types of the members have been checked before.
 */
final class JsonTree {
  private JsonTree() {}

  /** Returns the value at the end of a path of members; null if it is absent or {@code null}. */
  static @Nullable JsonElement at(JsonObject object, String... path) {
    JsonElement value = object;
    for (String name : path) {
      if (!(value instanceof JsonObject parent)) {
        return null;
      }
      value = parent.get(name);
    }
    return value == null || value.isJsonNull() ? null : value;
  }

  static @Nullable JsonObject object(JsonObject object, String... path) {
    return at(object, path) instanceof JsonObject found ? found : null;
  }

  /**
   * Returns the member object; adds an empty object if the member is absent. If the member has
   * another shape, returns a new object that is not added.
   */
  static JsonObject objectOrNew(JsonObject object, String name) {
    JsonElement found = at(object, name);
    if (found instanceof JsonObject known) {
      return known;
    }
    JsonObject made = new JsonObject();
    if (found == null) {
      object.add(name, made);
    }
    return made;
  }

  /** Returns the objects of an array; empty if there is no array. */
  static List<JsonObject> objects(JsonObject object, String... path) {
    return elements(JsonObject.class, object, path);
  }

  /** Returns the primitives of an array as text; empty if there is no array. */
  static List<String> texts(JsonObject object, String... path) {
    return elements(JsonPrimitive.class, object, path).stream()
        .map(JsonPrimitive::getAsString)
        .toList();
  }

  private static <E> List<E> elements(Class<E> shape, JsonObject object, String... path) {
    return at(object, path) instanceof JsonArray array
        ? array.asList().stream().filter(shape::isInstance).map(shape::cast).toList()
        : List.of();
  }

  /** Returns a string, number or boolean as text; empty if there is none. */
  static String text(JsonObject object, String... path) {
    return at(object, path) instanceof JsonPrimitive value ? value.getAsString() : "";
  }

  /** Returns an integer; {@code otherwise} if there is none. */
  static long number(JsonObject object, long otherwise, String... path) {
    try {
      String text = text(object, path);
      return text.isEmpty() ? otherwise : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return otherwise;
    }
  }

  static boolean has(JsonObject object, String... path) {
    return at(object, path) != null;
  }

  static void defaultTo(JsonObject object, String name, JsonElement value) {
    if (!has(object, name)) {
      object.add(name, value);
    }
  }

  static void defaultTo(JsonObject object, String name, String value) {
    if (text(object, name).isEmpty() && !(at(object, name) instanceof JsonObject)) {
      object.addProperty(name, value);
    }
  }

  static void defaultTo(JsonObject object, String name, long value) {
    if (!has(object, name)) {
      object.addProperty(name, value);
    }
  }

  static void defaultTo(JsonObject object, String name, boolean value) {
    if (!has(object, name)) {
      object.addProperty(name, value);
    }
  }

  /**
   * Copies the member from {@code from} to {@code to}; removes it from {@code to} if {@code from}
   * does not have it.
   */
  static void carryOver(JsonObject from, JsonObject to, String name) {
    JsonElement value = from.get(name);
    if (value == null) {
      to.remove(name);
    } else {
      to.add(name, value.deepCopy());
    }
  }

  static JsonArray array(String... texts) {
    JsonArray array = new JsonArray();
    for (String text : texts) {
      array.add(text);
    }
    return array;
  }
}
