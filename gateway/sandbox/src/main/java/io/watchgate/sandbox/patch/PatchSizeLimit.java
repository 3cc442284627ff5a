package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;

/** Depth and size of values, with the limit of the depth. */
final class PatchSizeLimit {
  /** Limit of nesting, the same as for request bodies: a deeper value could not be read again. */
  static final int MAX_DEPTH = 255;

  private PatchSizeLimit() {}

  /** Returns the number of nested objects and arrays; 0 for a single value. */
  static int depth(JsonElement value) {
    int deepest = 0;
    switch (value) {
      case JsonObject object -> {
        for (Map.Entry<String, JsonElement> member : object.entrySet()) {
          deepest = Math.max(deepest, depth(member.getValue()));
        }
      }
      case JsonArray array -> {
        for (JsonElement element : array) {
          deepest = Math.max(deepest, depth(element));
        }
      }
      default -> {
        return 0;
      }
    }
    return deepest + 1;
  }

  /** Returns the approximate number of characters of the value as JSON. */
  static long size(JsonElement value) {
    long size = 2;
    switch (value) {
      case JsonObject object -> {
        for (Map.Entry<String, JsonElement> member : object.entrySet()) {
          size += member.getKey().length() + 4 + size(member.getValue());
        }
      }
      case JsonArray array -> {
        for (JsonElement element : array) {
          size += 1 + size(element);
        }
      }
      default -> size += value.isJsonNull() ? 2 : value.getAsString().length();
    }
    return size;
  }
}
