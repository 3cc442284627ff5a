package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.KeyRange;
import io.watchgate.http.StatusException;
import io.watchgate.json.KubeObject;

/**
 * Controller that completes the deletion of a namespace. It removes the objects of the namespace,
 * pods without grace. It removes the namespace as soon as no object with finalizers remains. Called
 * with the store's lock held.
 */
final class NamespaceFinalizer {
  private final ObjectStore store;
  private final SandboxTypes types;
  private final DeleteCollectionHandler collectionDeleter;

  NamespaceFinalizer(ObjectStore store, SandboxTypes types, DeleteCollectionHandler emptying) {
    this.store = store;
    this.types = types;
    this.collectionDeleter = emptying;
  }

  /** Deletes the objects of a namespace that was marked as deleted. */
  void deleteObjects(JsonObject namespace) throws StatusException {
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
   * Removes the namespace if it is marked as deleted and no object remains in it. Called after an
   * object of the namespace was removed.
   */
  void removeIfComplete(String name) {
    KubeObject namespace = types.namespaces().find("", name);
    if (namespace == null) {
      return;
    }
    JsonObject metadata = Metadata.of(StoredType.copyOf(namespace));
    KeyRange range = KeyRange.ofNamespace(name);
    if (JsonTree.has(metadata, Metadata.DELETED)
        && !JsonTree.has(metadata, Metadata.FINALIZERS)
        && types.all().stream()
            .filter(type -> type.type().isNamespaced())
            .allMatch(type -> DeleteCollectionHandler.isEmpty(type, range))) {
      store.remove(types.namespaces(), namespace);
    }
  }
}
