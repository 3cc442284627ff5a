package io.watchgate.browser;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.WatchEvent;

/**
 * JSON of an event, {@code {"type":…,"object":…}}, as event streams and {@code watchgate watch -o
 * json} have it. The object's bytes are passed on as received.
 */
public final class WatchEventJson {
  private static final ByteString OBJECT = ByteString.copyFromUtf8("\",\"object\":");
  private static final ByteString TYPE = ByteString.copyFromUtf8("{\"type\":\"");
  private static final ByteString END = ByteString.copyFromUtf8("}");

  private WatchEventJson() {}

  /**
   * Returns the JSON. Of an object without a body it has what identifies the object; if the body
   * was too large to be sent, its size is beside it, as {@code omittedBytes}.
   */
  public static ByteString of(WatchEvent event) {
    ByteString begin = TYPE.concat(ByteString.copyFromUtf8(name(event.getType()))).concat(OBJECT);
    ByteString object = event.getObject().isEmpty() ? identity(event) : event.getObject();
    ByteString end =
        event.hasOmitted()
            ? ByteString.copyFromUtf8(",\"omittedBytes\":" + event.getOmitted().getSize() + "}")
            : END;
    return begin.concat(object).concat(end);
  }

  private static ByteString identity(WatchEvent event) {
    ObjectKey key = event.getKey();
    JsonObject metadata = new JsonObject();
    metadata.addProperty("name", key.getName());
    if (!key.getNamespace().isEmpty()) {
      metadata.addProperty("namespace", key.getNamespace());
    }
    metadata.addProperty("uid", key.getUid());
    metadata.addProperty("resourceVersion", event.getResourceVersion());
    JsonObject object = new JsonObject();
    object.add("metadata", metadata);
    return ByteString.copyFromUtf8(object.toString());
  }

  /** Returns {@code ADDED}, {@code MODIFIED} or {@code DELETED}. */
  public static String name(EventType type) {
    return type.name().substring("EVENT_TYPE_".length());
  }
}
