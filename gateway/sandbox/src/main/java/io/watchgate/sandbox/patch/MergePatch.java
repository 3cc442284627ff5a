package io.watchgate.sandbox.patch;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;

/**
 * JSON merge patch (RFC 7386): sets the members of the patch, and removes members that are null in
 * it.
 */
record MergePatch(JsonObject patch) implements Patch {

  @Override
  public JsonObject apply(JsonObject object) {
    return merge(object, patch).deepCopy();
  }

  private static JsonObject merge(JsonObject object, JsonObject patch) {
    JsonObject merged = shallowCopy(object);
    for (Map.Entry<String, JsonElement> change : patch.entrySet()) {
      String name = change.getKey();
      JsonElement value = change.getValue();
      if (value.isJsonNull()) {
        merged.remove(name);
      } else if (value instanceof JsonObject changes
          && merged.get(name) instanceof JsonObject old) {
        merged.add(name, merge(old, changes));
      } else {
        merged.add(name, withoutNulls(value));
      }
    }
    return merged;
  }

  /**
   * Returns a copy in which no object has a null, including the elements of arrays. RFC 7386 keeps
   * nulls inside arrays; the apiserver does not.
   */
  static JsonElement withoutNulls(JsonElement value) {
    if (value instanceof JsonObject object) {
      JsonObject kept = new JsonObject();
      object
          .asMap()
          .forEach(
              (name, member) -> {
                if (!member.isJsonNull()) {
                  kept.add(name, withoutNulls(member));
                }
              });
      return kept;
    }
    if (value instanceof JsonArray array) {
      JsonArray kept = new JsonArray(array.size());
      array.forEach(element -> kept.add(withoutNulls(element)));
      return kept;
    }
    return value;
  }

  /** Returns a copy that shares its members with the original; the members are never modified. */
  static JsonObject shallowCopy(JsonObject object) {
    JsonObject copy = new JsonObject();
    object.asMap().forEach(copy::add);
    return copy;
  }
}
