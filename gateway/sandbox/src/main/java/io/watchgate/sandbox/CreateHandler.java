package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusErrors;
import io.watchgate.http.StatusException;
import io.watchgate.http.StatusException.Cause;
import io.watchgate.json.KubeObject;

/** Handler of create requests. */
final class CreateHandler {
  /**
   * Number of names that are generated before a create fails because they all exist, as in an
   * apiserver.
   */
  private static final int NAME_ATTEMPTS = 8;

  private final ObjectStore store;
  private final SandboxTypes types;
  private final Allocator allocator;
  private final BuiltInControllers controllers;

  CreateHandler(
      ObjectStore store, SandboxTypes types, Allocator allocator, BuiltInControllers controllers) {
    this.store = store;
    this.types = types;
    this.allocator = allocator;
    this.controllers = controllers;
  }

  /**
   * Creates an object.
   *
   * @param sent the object in the form of the stored version
   * @return the created object in the form of the stored version
   */
  JsonObject create(WriteTarget target, JsonObject sent, DryRun dryRun) throws StatusException {
    return store.runLocked(() -> createLocked(target, sent, dryRun));
  }

  private JsonObject createLocked(WriteTarget target, JsonObject sent, DryRun dryRun)
      throws StatusException {
    TypeStrategy rules = target.strategy();
    JsonObject object = ObjectNormalizer.canonical(sent, target.storedType().type());
    JsonObject metadata = Metadata.of(object);
    requireNamespace(target, JsonTree.text(metadata, Metadata.NAME));
    if (JsonTree.has(metadata, Metadata.VERSION)
        && !JsonTree.text(metadata, Metadata.VERSION).equals("0")) {
      throw WriteErrors.internalError("resourceVersion should not be set on objects to be created");
    }
    fill(target, metadata);
    object.add("metadata", Metadata.canonical(metadata));
    rules.defaults(object);
    rules.prepareCreate(object, allocator);
    String name = JsonTree.text(object, "metadata", Metadata.NAME);
    FieldErrors invalid = new FieldErrors();
    Metadata.validate(Metadata.of(object), rules.names(), invalid);
    rules.validate(object, invalid);
    invalid.throwIfAny(target.type().group(), target.type().kind(), name);
    KubeObject held = target.storedType().find(target.namespace(), name);
    if (held != null) {
      throw JsonTree.has(StoredType.copyOf(held), "metadata", Metadata.DELETED)
          ? WriteErrors.stillExists(target.type(), name)
          : WriteErrors.alreadyExists(target.type(), name);
    }
    if (dryRun == DryRun.REAL) {
      store.put(target.storedType(), object);
      return controllers.afterWrite(target.storedType(), object);
    }
    return object;
  }

  private void fill(WriteTarget target, JsonObject metadata) {
    metadata.remove(Metadata.VERSION);
    metadata.remove(Metadata.DELETED);
    metadata.remove(Metadata.GRACE);
    metadata.remove(Metadata.NAMESPACE);
    if (!target.namespace().isEmpty()) {
      metadata.addProperty(Metadata.NAMESPACE, target.namespace());
    }
    if (target.strategy().has(Trait.GENERATION)) {
      metadata.addProperty(Metadata.GENERATION, 1);
    }
    metadata.addProperty(Metadata.UID, allocator.uid());
    metadata.addProperty(Metadata.CREATED, store.now());
    String base = JsonTree.text(metadata, "generateName");
    if (!base.isEmpty() && JsonTree.text(metadata, Metadata.NAME).isEmpty()) {
      String name = allocator.generateName(base);
      for (int i = 1; i < NAME_ATTEMPTS && taken(target, name); i++) {
        name = allocator.generateName(base);
      }
      metadata.addProperty(Metadata.NAME, name);
    }
  }

  private static boolean taken(WriteTarget target, String name) {
    return target.storedType().find(target.namespace(), name) != null;
  }

  private void requireNamespace(WriteTarget target, String name) throws StatusException {
    if (target.namespace().isEmpty()) {
      return;
    }
    StoredType namespaces = types.namespaces();
    KubeObject namespace = namespaces.find("", target.namespace());
    if (namespace == null) {
      throw StatusErrors.noSuchObject(namespaces.type(), target.namespace());
    }
    if (JsonTree.has(StoredType.copyOf(namespace), "metadata", Metadata.DELETED)) {
      throw WriteErrors.forbidden(
          target.type(),
          name,
          "unable to create new content in namespace "
              + target.namespace()
              + " because it is being terminated",
          new Cause(
              "NamespaceTerminating",
              "namespace " + target.namespace() + " is being terminated",
              "metadata.namespace"));
    }
  }
}
