package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reading and setting members of JSON that somebody sent: what has another shape than asked for is
 * as good as absent, and never an exception. The bodies were held to their types before.
 */
final class JsonTree {
  private JsonTree() {}

  /** The value at the end of a path of members; null if it is absent or {@code null}. */
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

  /** An object there, made where there is none; one that belongs to nobody where there is else. */
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

  /** The objects of an array; none where there is no array. */
  static List<JsonObject> objects(JsonObject object, String... path) {
    List<JsonObject> found = new ArrayList<>();
    if (at(object, path) instanceof JsonArray array) {
      for (JsonElement element : array) {
        if (element instanceof JsonObject one) {
          found.add(one);
        }
      }
    }
    return found;
  }

  /** The strings of an array; none where there is no array. */
  static List<String> texts(JsonObject object, String... path) {
    List<String> found = new ArrayList<>();
    if (at(object, path) instanceof JsonArray array) {
      for (JsonElement element : array) {
        if (element instanceof JsonPrimitive one) {
          found.add(one.getAsString());
        }
      }
    }
    return found;
  }

  /** A string, number or boolean as text; empty without one. */
  static String text(JsonObject object, String... path) {
    return at(object, path) instanceof JsonPrimitive value ? value.getAsString() : "";
  }

  /** A whole number; {@code otherwise} where there is none. */
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

  /** Gives {@code to} the member as {@code from} has it, or takes it away. */
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
