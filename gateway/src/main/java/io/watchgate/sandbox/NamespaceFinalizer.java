package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.cache.KeyRange;
import io.watchgate.http.StatusException;
import io.watchgate.json.KubeObject;

/**
 * The end of a namespace: its objects go, pods without grace, and then the namespace itself, as
 * soon as nothing is left that finalizers hold. Called with the store's lock held.
 */
final class NamespaceFinalizer {
  private final ObjectStore store;
  private final SandboxTypes types;
  private final DeleteCollectionHandler emptying;

  NamespaceFinalizer(ObjectStore store, SandboxTypes types, DeleteCollectionHandler emptying) {
    this.store = store;
    this.types = types;
    this.emptying = emptying;
  }

  /** The namespace was marked. */
  void end(JsonObject namespace) throws StatusException {
    String name = JsonTree.text(namespace, "metadata", Metadata.NAME);
    KeyRange range = KeyRange.ofNamespace(name);
    for (StoredType type : types.all()) {
      if (type.type().namespaced()) {
        emptying.empty(type, range);
      }
    }
    finish(name);
  }

  /**
   * Something in the namespace is gone: if it was the last, and the namespace is to go, it goes.
   */
  void finish(String name) {
    KubeObject namespace = types.namespaces().find("", name);
    if (namespace == null) {
      return;
    }
    JsonObject metadata = Metadata.of(StoredType.tree(namespace));
    KeyRange range = KeyRange.ofNamespace(name);
    if (JsonTree.has(metadata, Metadata.DELETED)
        && !JsonTree.has(metadata, Metadata.FINALIZERS)
        && types.all().stream()
            .filter(type -> type.type().namespaced())
            .allMatch(type -> DeleteCollectionHandler.isEmpty(type, range))) {
      store.remove(types.namespaces(), namespace);
    }
  }
}
