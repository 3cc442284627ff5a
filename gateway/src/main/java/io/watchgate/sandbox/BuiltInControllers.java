package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusException;
import io.watchgate.json.KubeObject;

/**
 * What follows from a write at once, where a cluster has controllers for it: a defined type is
 * served, a namespace that is deleted loses its objects and goes. In the same step, so that nobody
 * has to wait. Called with the store's lock held.
 */
final class BuiltInControllers {
  private final SandboxTypes types;
  private final NamespaceFinalizer namespaces;
  private final CustomTypes custom;

  BuiltInControllers(SandboxTypes types, NamespaceFinalizer namespaces, CustomTypes custom) {
    this.types = types;
    this.namespaces = namespaces;
    this.custom = custom;
  }

  /** An object was written. Returns what is to be answered with. */
  JsonObject ofWriting(StoredType type, JsonObject object) throws StatusException {
    if (type == types.namespaces()) {
      namespaces.finish(JsonTree.text(object, "metadata", Metadata.NAME));
    }
    return types.isDefinitions(type) ? custom.define(object) : object;
  }

  /** Whether objects of a type go only when nothing depends on them any more. */
  boolean goesLast(StoredType type) {
    return type == types.namespaces() || types.isDefinitions(type);
  }

  /** An object is gone. */
  void ofRemoving(StoredType type, KubeObject object) {
    if (!object.namespace().isEmpty()) {
      namespaces.finish(object.namespace());
    }
    if (type.rules().has(Trait.CUSTOM)) {
      custom.finish(type);
    }
  }

  /** A namespace or a definition is to go, and marked so. */
  void ofEnding(StoredType type, JsonObject object) throws StatusException {
    if (types.isDefinitions(type)) {
      custom.end(object);
    } else {
      namespaces.end(object);
    }
  }
}
