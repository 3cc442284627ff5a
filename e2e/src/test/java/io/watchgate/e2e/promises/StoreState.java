package io.watchgate.e2e.promises;

import com.google.protobuf.ByteString;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.Snapshot;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Objects of a store at a version. */
record StoreState(String resourceVersion, Map<NamespacedName, HeldObject> objects) {
  static final StoreState EMPTY = new StoreState("", Map.of());

  static StoreState of(Snapshot<ByteString> snapshot) {
    Map<NamespacedName, HeldObject> objects = new HashMap<>();
    snapshot.forEach(object -> objects.put(object.key(), HeldObject.of(object)));
    return new StoreState(snapshot.resourceVersion(), objects);
  }

  /** Returns the resourceVersions of the objects by name, if all are of one namespace. */
  Map<String, String> versions() {
    Map<String, String> versions = new TreeMap<>();
    objects.forEach((key, object) -> versions.put(key.name(), object.resourceVersion()));
    return versions;
  }
}
