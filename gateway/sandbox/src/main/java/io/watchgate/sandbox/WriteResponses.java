package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
import io.watchgate.http.JsonObjects;
import io.watchgate.http.WriteBackend.Answer;
import java.util.List;

/** Factory of the responses to write requests. */
final class WriteResponses {
  static final int OK = 200;
  static final int CREATED = 201;

  private WriteResponses() {}

  static Answer object(int code, WriteTarget target, JsonObject stored) {
    return new Answer(code, target.version().encodeStored(stored));
  }

  static Answer plain(int code, JsonObject object) {
    return new Answer(code, GoJsonText.bytes(object, GoJsonText.Order.AS_GIVEN));
  }

  /** Returns the success of a subresource that creates something, without details. */
  static Answer created() {
    JsonObject status = success();
    status.addProperty("code", CREATED);
    return plain(CREATED, status);
  }

  /** Returns the success of a removal. */
  static Answer removed(WriteTarget target, JsonObject object) {
    JsonObject details = new JsonObject();
    details.addProperty("name", target.name());
    if (!target.type().group().isEmpty()) {
      details.addProperty("group", target.type().group());
    }
    details.addProperty("kind", target.type().resource());
    details.addProperty("uid", JsonTree.text(object, "metadata", Metadata.UID));
    JsonObject status = success();
    status.add("details", details);
    return plain(OK, status);
  }

  private static JsonObject success() {
    return JsonObjects.of(
        "kind", "Status",
        "apiVersion", "v1",
        "metadata", new JsonObject(),
        "status", "Success");
  }

  /** Returns a list; the items of built-in types have no kind and apiVersion. */
  static Answer list(WriteTarget target, List<JsonObject> objects, String version) {
    ApiResource type = target.type();
    JsonArray items = new JsonArray();
    for (JsonObject object : objects) {
      JsonObject item = target.version().fromStored(object);
      if (!target.strategy().has(Trait.CUSTOM)) {
        item.remove("kind");
        item.remove("apiVersion");
      }
      items.add(item);
    }
    JsonObject list =
        JsonObjects.of(
            "kind",
            type.kind() + "List",
            "apiVersion",
            type.apiVersion(),
            "metadata",
            JsonObjects.of(Metadata.VERSION, version),
            "items",
            items);
    return plain(OK, list);
  }
}
