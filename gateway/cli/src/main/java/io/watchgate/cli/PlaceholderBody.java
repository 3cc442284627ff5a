package io.watchgate.cli;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;
import io.watchgate.table.JsonView;

/**
 * Factory of bodies for objects whose own body is unknown. A body has the identifying metadata;
 * kind and apiVersion are copied from another object of the same type. Not thread-safe.
 */
final class PlaceholderBody {
  private ByteString example = ByteString.EMPTY;

  /** Remembers the body as an example of the type. */
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

  /**
   * Returns the event, with a placeholder body and a message if its own body was too large to be
   * sent.
   */
  WatchEvent complete(WatchEvent event, ReconnectReporter reporter) {
    if (!event.hasOmitted()) {
      learn(event);
      return event;
    }
    ObjectKey key = event.getKey();
    reporter.report(
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
