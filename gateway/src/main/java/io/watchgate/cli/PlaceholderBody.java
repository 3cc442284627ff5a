package io.watchgate.cli;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;

/**
 * Makes a body for an object whose own is not known, of what identifies it; kind and apiVersion are
 * those of another one of the same type. Not thread-safe.
 */
final class PlaceholderBody {
  private ByteString example = ByteString.EMPTY;

  /** Takes note of how objects of the type look. */
  void learn(WatchEvent event) {
    if (!event.getObject().isEmpty()) {
      example = event.getObject();
    }
  }

  ByteString body(ObjectKey key, String resourceVersion) {
    JsonView like = JsonView.of(example.toByteArray());
    JsonObject metadata = new JsonObject();
    metadata.addProperty("name", key.getName());
    if (!key.getNamespace().isEmpty()) {
      metadata.addProperty("namespace", key.getNamespace());
    }
    metadata.addProperty("uid", key.getUid());
    metadata.addProperty("resourceVersion", resourceVersion);
    JsonObject object = new JsonObject();
    object.addProperty("kind", like.get("kind").text());
    object.addProperty("apiVersion", like.get("apiVersion").text());
    object.add("metadata", metadata);
    return ByteString.copyFromUtf8(object.toString());
  }

  /** The event, with a stand-in if its body was too large to be sent, which is said. */
  WatchEvent complete(WatchEvent event, ReconnectReporter narrator) {
    if (!event.hasOmitted()) {
      learn(event);
      return event;
    }
    ObjectKey key = event.getKey();
    narrator.say(
        key.getNamespace()
            + "/"
            + key.getName()
            + " has "
            + event.getOmitted().getSize()
            + " bytes, too many for one response; only what identifies it is printed, the rest is"
            + " to be read from the apiserver");
    return event.toBuilder().setObject(body(key, event.getResourceVersion())).build();
  }
}
