package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.KeyRange;
import io.watchgate.json.KubeObject;
import java.util.List;

/**
 * Controller that completes the deletion of a namespace. It removes the objects of the namespace,
 * pods without grace. It removes the namespace as soon as no object with finalizers remains and the
 * namespace has no other finalizer than the controller's own. Called with the store's lock held.
 */
final class NamespaceFinalizer {
  /** Finalizer that each namespace has until its objects are removed. */
  static final String OWN = "kubernetes";

  private final ObjectStore store;
  private final SandboxTypes types;
  private final KeyRangeDeleter collectionDeleter;

  NamespaceFinalizer(ObjectStore store, SandboxTypes types, KeyRangeDeleter collectionDeleter) {
    this.store = store;
    this.types = types;
    this.collectionDeleter = collectionDeleter;
  }

  /** Deletes the objects of a namespace that was marked as deleted. */
  void deleteObjects(JsonObject namespace) {
    String name = JsonTree.text(namespace, "metadata", Metadata.NAME);
    KeyRange range = KeyRange.ofNamespace(name);
    for (StoredType type : types.all()) {
      if (type.type().isNamespaced()) {
        collectionDeleter.deleteAll(type, range);
      }
    }
    removeIfComplete(name);
  }

  /**
   * Removes the namespace if it is marked as deleted and no object remains in it, or if its last
   * finalizer was taken away, as people do when it is stuck. Called after an object of the
   * namespace was removed, and after the namespace was changed.
   */
  void removeIfComplete(String name) {
    KubeObject namespace = types.namespaces().find("", name);
    if (namespace == null) {
      return;
    }
    JsonObject object = StoredType.copyOf(namespace);
    JsonObject metadata = Metadata.of(object);
    List<String> finalizers = JsonTree.texts(object, "spec", "finalizers");
    if (JsonTree.has(metadata, Metadata.DELETED)
        && !JsonTree.has(metadata, Metadata.FINALIZERS)
        && (finalizers.isEmpty() || (finalizers.equals(List.of(OWN)) && isEmpty(name)))) {
      store.remove(types.namespaces(), namespace);
    }
  }

  private boolean isEmpty(String name) {
    KeyRange range = KeyRange.ofNamespace(name);
    return types.all().stream()
        .filter(type -> type.type().isNamespaced())
        .allMatch(type -> KeyRangeDeleter.isEmpty(type, range));
  }
}
