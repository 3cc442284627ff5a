package io.watchgate.e2e.promises;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.StoredObject;

/** Object as a store of the Java SDK, or of another package, holds it. */
record HeldObject(NamespacedName key, String uid, String resourceVersion, ByteString json) {
  static HeldObject of(StoredObject<ByteString> object) {
    return new HeldObject(object.key(), object.uid(), object.resourceVersion(), object.value());
  }

  /** Returns the object that identifies itself by its metadata. */
  static HeldObject of(String json) {
    JsonObject metadata =
        JsonParser.parseString(json).getAsJsonObject().getAsJsonObject("metadata");
    return new HeldObject(
        new NamespacedName(
            metadata.get("namespace").getAsString(), metadata.get("name").getAsString()),
        metadata.get("uid").getAsString(),
        metadata.get("resourceVersion").getAsString(),
        ByteString.copyFromUtf8(json));
  }
}
