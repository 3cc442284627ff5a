package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.watchgate.cache.ApiResource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Normal form of stored objects: kind, apiVersion and metadata first, no empty metadata. */
final class ObjectNormalizer {
  private ObjectNormalizer() {}

  /** Returns a copy in the stored form, with the kind and apiVersion of the type. */
  static JsonObject canonical(JsonObject object, ApiResource type) {
    JsonObject result = new JsonObject();
    result.addProperty("kind", type.kind());
    result.addProperty("apiVersion", type.apiVersion());
    JsonObject metadata = JsonTree.object(object, "metadata");
    result.add("metadata", Metadata.canonical(metadata == null ? new JsonObject() : metadata));
    for (Map.Entry<String, JsonElement> member : object.entrySet()) {
      if (!result.has(member.getKey())) {
        result.add(member.getKey(), member.getValue().deepCopy());
      }
    }
    return result;
  }

  /**
   * Returns the same object with another kind and apiVersion; the object itself if they are equal.
   */
  static JsonObject withIdentity(JsonObject object, ApiResource type) {
    if (JsonTree.text(object, "apiVersion").equals(type.apiVersion())
        && JsonTree.text(object, "kind").equals(type.kind())) {
      return object;
    }
    JsonObject result = new JsonObject();
    result.addProperty("kind", type.kind());
    result.addProperty("apiVersion", type.apiVersion());
    for (Map.Entry<String, JsonElement> member : object.entrySet()) {
      if (!result.has(member.getKey())) {
        result.add(member.getKey(), member.getValue());
      }
    }
    return result;
  }

  /**
   * Returns whether both are equal, regardless of the order of members. Numbers are compared by
   * their text: Gson compares them as doubles and would not notice a change above 2^53.
   */
  static boolean isEqual(@Nullable JsonElement left, @Nullable JsonElement right) {
    if (left instanceof JsonObject one && right instanceof JsonObject other) {
      return one.size() == other.size()
          && one.entrySet().stream()
              .allMatch(member -> isEqual(member.getValue(), other.get(member.getKey())));
    }
    if (left instanceof JsonArray one && right instanceof JsonArray other) {
      if (one.size() != other.size()) {
        return false;
      }
      for (int i = 0; i < one.size(); i++) {
        if (!isEqual(one.get(i), other.get(i))) {
          return false;
        }
      }
      return true;
    }
    if (left instanceof JsonPrimitive one && right instanceof JsonPrimitive other) {
      return one.isString() == other.isString() && one.getAsString().equals(other.getAsString());
    }
    return left == null ? right == null : left.isJsonNull() && right != null && right.isJsonNull();
  }
}
