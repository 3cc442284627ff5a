package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import io.watchgate.sandbox.patch.ExactEquality;
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

  /** Returns whether both are absent, or equal as {@link ExactEquality} defines it. */
  static boolean isEqual(@Nullable JsonElement left, @Nullable JsonElement right) {
    return left == null ? right == null : right != null && ExactEquality.isEqual(left, right);
  }
}
