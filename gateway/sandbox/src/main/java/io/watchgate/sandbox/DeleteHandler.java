package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import io.watchgate.http.StatusErrors;
import io.watchgate.http.StatusException;
import io.watchgate.json.KubeObject;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * Handler of delete requests. An object is removed at once, or first only marked if finalizers or a
 * running pod's grace period delay the removal.
 */
final class DeleteHandler {
  private static final Set<String> PROTECTED_NAMESPACES =
      Set.of("default", "kube-system", "kube-public", "kube-node-lease");

  /** A century, in seconds: a longer grace period would end at a time that cannot be formatted. */
  private static final long MAX_GRACE = 36_525L * 24 * 60 * 60;

  private final ObjectStore store;
  private final SandboxTypes types;
  private final BuiltInControllers controllers;

  DeleteHandler(ObjectStore store, SandboxTypes types, BuiltInControllers controllers) {
    this.store = store;
    this.types = types;
    this.controllers = controllers;
  }

  /** The last state of the object, and whether it was removed. */
  record Result(JsonObject object, boolean removed) {}

  Result delete(WriteTarget target, DeleteOptions options) throws StatusException {
    return store.runLocked(
        () -> {
          KubeObject view = target.storedType().find(target.namespace(), target.name());
          if (view == null) {
            throw StatusErrors.noSuchObject(target.type(), target.name());
          }
          return deleteLocked(target, view, options);
        });
  }

  private Result deleteLocked(WriteTarget target, KubeObject view, DeleteOptions options)
      throws StatusException {
    JsonObject object = StoredType.copyOf(view);
    JsonObject metadata = Metadata.of(object);
    requirePreconditions(target, metadata, options);
    if (target.storedType() == types.namespaces() && PROTECTED_NAMESPACES.contains(target.name())) {
      throw WriteErrors.forbidden(
          target.type(), target.name(), "this namespace may not be deleted");
    }
    boolean last = controllers.isRemovedLast(target.storedType());
    long grace = target.strategy().has(Trait.GRACE) ? grace(object, options) : 0;
    boolean waits = last || grace > 0 || JsonTree.has(metadata, Metadata.FINALIZERS);
    if (!waits) {
      return remove(target, view, object, options);
    }
    if (markDeleted(target, object, grace, options) && last) {
      controllers.afterDeletionMark(target.storedType(), object);
    }
    return new Result(object, false);
  }

  static void requirePreconditions(WriteTarget target, JsonObject metadata, DeleteOptions options)
      throws StatusException {
    String uid = JsonTree.text(metadata, Metadata.UID);
    if (!options.uid().isEmpty() && !options.uid().equals(uid)) {
      throw WriteErrors.preconditionFailed(
          target.type(),
          target.name(),
          "the UID in the precondition (%s) does not match the UID in record (%s). The object might"
              + " have been deleted and then recreated",
          options.uid(),
          uid);
    }
    String version = JsonTree.text(metadata, Metadata.VERSION);
    if (!options.version().isEmpty() && !options.version().equals(version)) {
      throw WriteErrors.preconditionFailed(
          target.type(),
          target.name(),
          "the ResourceVersion in the precondition (%s) does not match the ResourceVersion in"
              + " record (%s). The object might have been modified",
          options.version(),
          version);
    }
  }

  /** Returns the grace period of a pod in seconds: 0 unless the pod runs on a node. */
  private static long grace(JsonObject pod, DeleteOptions options) {
    boolean running =
        !JsonTree.text(pod, "spec", "nodeName").isEmpty()
            && !List.of("Succeeded", "Failed").contains(JsonTree.text(pod, "status", "phase"));
    if (!running) {
      return 0;
    }
    long own = JsonTree.number(pod, 30, "spec", "terminationGracePeriodSeconds");
    long wanted = options.graceSeconds() >= 0 ? options.graceSeconds() : own;
    return Math.clamp(wanted, 0, MAX_GRACE);
  }

  private Result remove(
      WriteTarget target, KubeObject view, JsonObject object, DeleteOptions options) {
    JsonObject metadata = Metadata.of(object);
    if (target.strategy().has(Trait.GRACE)) {
      if (!JsonTree.has(metadata, Metadata.DELETED)) {
        raiseGeneration(metadata);
      }
      metadata.addProperty(Metadata.DELETED, store.now());
      metadata.addProperty(Metadata.GRACE, 0);
      if (options.dryRun() == DryRun.REAL) {
        object.add("metadata", Metadata.canonical(metadata));
        // Watches get this change before the removal, as from an apiserver.
        store.putMarked(target.storedType(), object);
        metadata = Metadata.of(object);
      }
    }
    if (options.dryRun() == DryRun.REAL) {
      metadata.addProperty(Metadata.VERSION, store.remove(target.storedType(), view).digits());
      controllers.afterRemoval(target.storedType(), view);
    }
    object.add("metadata", Metadata.canonical(metadata));
    return new Result(object, true);
  }

  /** Marks the object as deleted. Returns whether the mark is new and was stored. */
  private boolean markDeleted(
      WriteTarget target, JsonObject object, long grace, DeleteOptions options) {
    JsonObject metadata = Metadata.of(object);
    boolean shorter =
        target.strategy().has(Trait.GRACE)
            && grace < JsonTree.number(metadata, Long.MAX_VALUE, Metadata.GRACE);
    if (JsonTree.has(metadata, Metadata.DELETED) && !shorter) {
      return false;
    }
    String end = Instant.parse(store.now()).plusSeconds(grace).toString();
    if (!JsonTree.has(metadata, Metadata.DELETED)) {
      raiseGeneration(metadata);
    }
    metadata.addProperty(Metadata.DELETED, end);
    if (target.strategy().has(Trait.GRACE) || JsonTree.has(metadata, Metadata.FINALIZERS)) {
      metadata.addProperty(Metadata.GRACE, grace);
    }
    object.add("metadata", Metadata.canonical(metadata));
    if (target.storedType() == types.namespaces()) {
      JsonTree.objectOrNew(object, "status").addProperty("phase", "Terminating");
    }
    if (options.dryRun() == DryRun.REAL) {
      store.putMarked(target.storedType(), object);
    }
    return options.dryRun() == DryRun.REAL;
  }

  private static void raiseGeneration(JsonObject metadata) {
    if (JsonTree.has(metadata, Metadata.GENERATION)) {
      metadata.addProperty(
          Metadata.GENERATION, JsonTree.number(metadata, 0, Metadata.GENERATION) + 1);
    }
  }
}
