package io.watchgate.e2e.promises;

import com.google.protobuf.ByteString;
import io.watchgate.informer.NamespacedName;
import io.watchgate.informer.Snapshot;
import java.util.HashMap;
import java.util.Map;

/** Objects of a store at a version. */
record StoreState(String resourceVersion, Map<NamespacedName, HeldObject> objects) {
  static StoreState of(Snapshot<ByteString> snapshot) {
    Map<NamespacedName, HeldObject> objects = new HashMap<>();
    snapshot.forEach(object -> objects.put(object.key(), HeldObject.of(object)));
    return new StoreState(snapshot.resourceVersion(), objects);
  }
}
