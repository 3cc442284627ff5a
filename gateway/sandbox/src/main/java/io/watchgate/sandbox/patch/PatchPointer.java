package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * JSON pointer (RFC 6901).
 *
 * @param text the pointer as sent
 * @param parents decoded names of the path to the parent
 * @param last decoded last name; null for the document itself
 */
record PatchPointer(String text, List<String> parents, @Nullable String last) {

  /** Returns the pointer; null unless the text is empty or begins with a slash. */
  static @Nullable PatchPointer parse(String text) {
    if (text.isEmpty()) {
      return new PatchPointer(text, List.of(), null);
    }
    if (!text.startsWith("/")) {
      return null;
    }
    List<String> names =
        Arrays.stream(text.substring(1).split("/", -1))
            // In this order: "~01" is "~1".
            .map(name -> name.replace("~1", "/").replace("~0", "~"))
            .toList();
    return new PatchPointer(text, names.subList(0, names.size() - 1), names.getLast());
  }

  /** Returns the parent of the value, an object or an array; null if there is no parent. */
  @Nullable JsonElement parent(JsonElement document) {
    JsonElement at = document;
    for (String name : parents) {
      at = member(at, name);
      if (at == null) {
        return null;
      }
    }
    return at instanceof JsonObject || at instanceof JsonArray ? at : null;
  }

  private static @Nullable JsonElement member(JsonElement holder, String name) {
    if (holder instanceof JsonObject object) {
      return object.get(name);
    }
    if (holder instanceof JsonArray array) {
      int index = index(name, array.size());
      return index < 0 ? null : array.get(index);
    }
    return null;
  }

  /**
   * Returns the index of a name, below {@code size}; -1 if it is not an index. Negative numbers
   * count from the end and leading zeros are allowed: the apiserver accepts both, the RFC neither.
   */
  static int index(String name, int size) {
    try {
      int index = Integer.parseInt(name);
      int counted = index < 0 ? size + index : index;
      return counted < size ? counted : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Returns JSON null for an absent value. Test, copy and replace do not distinguish the two. */
  static JsonElement orNull(@Nullable JsonElement value) {
    return value == null ? JsonNull.INSTANCE : value;
  }
}
