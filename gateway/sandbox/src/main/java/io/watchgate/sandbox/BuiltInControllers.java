package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusException;
import io.watchgate.json.KubeObject;

/**
 * Controllers that act in the same write: a new definition's type is served, and a namespace that
 * is deleted loses its objects and is removed. A cluster runs these controllers asynchronously.
 * Here they run inside the write, so clients need not wait for them. Called with the store's lock
 * held.
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

  /**
   * Checks a change of an object before it is written.
   *
   * @throws StatusException if the controllers cannot follow the change
   */
  void beforeUpdate(StoredType type, JsonObject object) throws StatusException {
    if (types.isDefinitions(type)) {
      custom.requireRoom(object);
    }
  }

  /** Runs the controllers after an object was written. Returns the object for the response. */
  JsonObject afterWrite(StoredType type, JsonObject object) throws StatusException {
    if (type == types.namespaces()) {
      namespaces.removeIfComplete(JsonTree.text(object, "metadata", Metadata.NAME));
    }
    return types.isDefinitions(type) ? custom.define(object) : object;
  }

  /** Returns whether an object of this type is removed only after all objects that depend on it. */
  boolean isRemovedLast(StoredType type) {
    return type == types.namespaces() || types.isDefinitions(type);
  }

  /** Runs the controllers after an object was removed. */
  void afterRemoval(StoredType type, KubeObject object) {
    if (!object.namespace().isEmpty()) {
      namespaces.removeIfComplete(object.namespace());
    }
    if (type.strategy().has(Trait.CUSTOM)) {
      custom.removeIfComplete(type);
    }
  }

  /** Runs the controllers after a namespace or a definition was marked as deleted. */
  void afterDeletionMark(StoredType type, JsonObject object) {
    if (types.isDefinitions(type)) {
      custom.deleteObjects(object);
    } else {
      namespaces.deleteObjects(object);
    }
  }
}
