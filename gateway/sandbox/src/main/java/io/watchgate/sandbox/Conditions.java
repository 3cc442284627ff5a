package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.watchgate.http.JsonObjects;

/** Access to the conditions in the status of an object. */
final class Conditions {
  private Conditions() {}

  /**
   * Adds the given timestamps to every condition as null, because Go writes them even when unset.
   */
  static void addNullTimestamps(JsonObject object, String... moments) {
    for (JsonObject condition : JsonTree.objects(object, "status", "conditions")) {
      for (String moment : moments) {
        JsonTree.defaultTo(condition, moment, (JsonElement) JsonNull.INSTANCE);
      }
    }
  }

  /** Sets a condition to true; replaces an existing condition of the same type. */
  static void set(JsonObject object, String type, String reason, String message, String now) {
    JsonObject condition =
        JsonObjects.of("type", type, "status", "True", "lastTransitionTime", now);
    if (!reason.isEmpty()) {
      condition.addProperty("reason", reason);
      condition.addProperty("message", message);
    }
    JsonArray conditions = new JsonArray();
    JsonObject status = JsonTree.objectOrNew(object, "status");
    for (JsonObject other : JsonTree.objects(status, "conditions")) {
      if (!JsonTree.text(other, "type").equals(type)) {
        conditions.add((JsonElement) other);
      }
    }
    conditions.add(condition);
    status.add("conditions", conditions);
  }
}
