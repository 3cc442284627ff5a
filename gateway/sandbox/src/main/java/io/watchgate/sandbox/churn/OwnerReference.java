package io.watchgate.sandbox.churn;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import org.jspecify.annotations.Nullable;

/** Access to the owner references of objects. */
final class OwnerReference {
  private OwnerReference() {}

  /** Returns the {@code ownerReferences} of an object that {@code owner} controls. */
  static JsonArray controllerReferences(JsonObject owner) {
    JsonObject metadata = owner.getAsJsonObject("metadata");
    JsonObject reference = new JsonObject();
    reference.add("apiVersion", owner.get("apiVersion"));
    reference.add("kind", owner.get("kind"));
    reference.add("name", metadata.get("name"));
    reference.add("uid", metadata.get("uid"));
    reference.addProperty("controller", true);
    reference.addProperty("blockOwnerDeletion", true);
    JsonArray references = new JsonArray();
    references.add(reference);
    return references;
  }

  /** Returns the owner of a kind; null if there is none. */
  static @Nullable ObjectName of(JsonObject owned, String kind) {
    JsonObject metadata = owned.getAsJsonObject("metadata");
    if (metadata.get("ownerReferences") instanceof JsonArray references) {
      for (JsonElement reference : references) {
        if (Pod.text(reference.getAsJsonObject(), "kind").equals(kind)) {
          return new ObjectName(
              Pod.text(metadata, "namespace"), Pod.text(reference.getAsJsonObject(), "name"));
        }
      }
    }
    return null;
  }
}
