package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;

/**
 * Exact equality of two values, in which the order of members does not matter. Gson's {@code
 * equals} compares numbers as doubles, so that 9007199254740993 equals its neighbour. The apiserver
 * compares numbers as they are written.
 */
public final class ExactEquality {
  private ExactEquality() {}

  public static boolean isEqual(JsonElement a, JsonElement b) {
    if (a instanceof JsonObject object && b instanceof JsonObject other) {
      return object.size() == other.size()
          && object.entrySet().stream()
              .allMatch(
                  member ->
                      other.has(member.getKey())
                          && isEqual(member.getValue(), other.get(member.getKey())));
    }
    if (a instanceof JsonArray array && b instanceof JsonArray other) {
      boolean same = array.size() == other.size();
      for (int i = 0; same && i < array.size(); i++) {
        same = isEqual(array.get(i), other.get(i));
      }
      return same;
    }
    if (a instanceof JsonPrimitive value && b instanceof JsonPrimitive other) {
      boolean numbers = value.isNumber() && other.isNumber();
      return numbers ? value.getAsString().equals(other.getAsString()) : value.equals(other);
    }
    return a.equals(b);
  }
}
