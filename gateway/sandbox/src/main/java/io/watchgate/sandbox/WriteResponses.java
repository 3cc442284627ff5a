package io.watchgate.sandbox;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.watchgate.cache.ApiResource;
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

  /** Returns a success without details. */
  static Answer done(int code) {
    JsonObject status = success();
    status.addProperty("code", code);
    return plain(code, status);
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
    JsonObject status = new JsonObject();
    status.addProperty("kind", "Status");
    status.addProperty("apiVersion", "v1");
    status.add("metadata", new JsonObject());
    status.addProperty("status", "Success");
    return status;
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
    JsonObject metadata = new JsonObject();
    metadata.addProperty(Metadata.VERSION, version);
    JsonObject list = new JsonObject();
    list.addProperty("kind", type.kind() + "List");
    list.addProperty("apiVersion", type.apiVersion());
    list.add("metadata", metadata);
    list.add("items", items);
    return plain(OK, list);
  }
}
