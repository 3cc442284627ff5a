package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.watchgate.http.StatusErrors;
import io.watchgate.http.StatusException;
import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handler of updates and patches. */
final class UpdateHandler {
  static final String MODIFIED =
      "the object has been modified; please apply your changes to the latest version and try again";

  private final ObjectStore store;
  private final CreateHandler creation;
  private final Allocator allocator;
  private final BuiltInControllers controllers;

  UpdateHandler(
      ObjectStore store,
      CreateHandler creation,
      Allocator allocator,
      BuiltInControllers controllers) {
    this.store = store;
    this.creation = creation;
    this.allocator = allocator;
    this.controllers = controllers;
  }

  /** A change of an object. */
  @FunctionalInterface
  interface Step {
    /**
     * Returns the next state of an object.
     *
     * @param now the stored object, a copy that may be changed
     */
    JsonObject next(JsonObject now) throws StatusException;
  }

  /** The object, and whether this request created it. */
  record Result(JsonObject object, boolean created) {}

  /** Replaces the object with the sent object (PUT). Creates the object if the type allows it. */
  Result replace(WriteTarget target, JsonObject sent, UpdatedPart part, DryRun dryRun)
      throws StatusException {
    return store.runLocked(
        () -> {
          boolean create =
              part == UpdatedPart.OBJECT
                  && target.strategy().has(Trait.CREATE_ON_UPDATE)
                  && target.storedType().find(target.namespace(), target.name()) == null;
          return create
              ? new Result(creation.create(target, sent, dryRun), true)
              : new Result(change(target, now -> replaced(target, now, sent), part, dryRun), false);
        });
  }

  private static JsonObject replaced(WriteTarget target, JsonObject now, JsonObject sent)
      throws StatusException {
    String expected = JsonTree.text(sent, "metadata", Metadata.UID);
    String held = JsonTree.text(now, "metadata", Metadata.UID);
    if (!expected.isEmpty() && !expected.equals(held)) {
      throw WriteErrors.conflict(
          target.type(),
          target.name(),
          "Precondition failed: UID in precondition: %s, UID in object meta: %s"
              .formatted(expected, held));
    }
    return sent;
  }

  /**
   * Changes an object.
   *
   * @return the stored object; with its old version if nothing changed, or if this change removed
   *     the object
   */
  JsonObject change(WriteTarget target, Step step, UpdatedPart part, DryRun dryRun)
      throws StatusException {
    return store.runLocked(() -> changeLocked(target, step, part, dryRun));
  }

  private JsonObject changeLocked(WriteTarget target, Step step, UpdatedPart part, DryRun dryRun)
      throws StatusException {
    StoredType type = target.storedType();
    KubeObject view = type.find(target.namespace(), target.name());
    if (view == null) {
      throw StatusErrors.noSuchObject(target.type(), target.name());
    }
    JsonObject old = StoredType.copyOf(view);
    JsonObject next = ObjectNormalizer.canonical(step.next(old.deepCopy()), type.type());
    requireVersion(target, Metadata.of(next), Metadata.of(old));
    requireUid(target, Metadata.of(next), Metadata.of(old));
    restoreImmutableMetadata(Metadata.of(old), Metadata.of(next));
    restoreUnaffectedParts(type.strategy(), old, next, part);
    next.add("metadata", Metadata.canonical(Metadata.of(next)));
    type.strategy().defaults(next);
    if (part != UpdatedPart.ANYTHING) {
      if (part != UpdatedPart.FINALIZERS) {
        type.strategy().prepareUpdate(next, old, allocator);
      }
      validate(target, next, old, part);
    }
    if (ObjectNormalizer.isEqual(next, old)) {
      return old;
    }
    JsonObject metadata = Metadata.of(next);
    if (part != UpdatedPart.ANYTHING
        && type.strategy().has(Trait.GENERATION)
        && type.strategy().hasDesiredStateChanged(next, old)) {
      metadata.addProperty(
          Metadata.GENERATION, JsonTree.number(metadata, 0, Metadata.GENERATION) + 1);
      next.add("metadata", Metadata.canonical(metadata));
    }
    if (dryRun == DryRun.DRY_RUN) {
      return next;
    }
    if (isDeletionComplete(old, next) && !controllers.isRemovedLast(type)) {
      store.remove(type, view);
      controllers.afterRemoval(type, view);
      return next;
    }
    controllers.beforeUpdate(type, next);
    store.put(type, next);
    return controllers.afterWrite(type, next);
  }

  /**
   * Returns whether this change removes the last finalizer of a deleted object. The object is then
   * removed in its old state.
   */
  private static boolean isDeletionComplete(JsonObject old, JsonObject next) {
    return JsonTree.has(next, "metadata", Metadata.DELETED)
        && JsonTree.has(old, "metadata", Metadata.FINALIZERS)
        && !JsonTree.has(next, "metadata", Metadata.FINALIZERS)
        && JsonTree.number(next, 0, "metadata", Metadata.GRACE) == 0;
  }

  private static void requireUid(WriteTarget target, JsonObject next, JsonObject old)
      throws StatusException {
    String uid = JsonTree.text(next, Metadata.UID);
    if (!uid.isEmpty() && !uid.equals(JsonTree.text(old, Metadata.UID))) {
      FieldErrors invalid = new FieldErrors();
      invalid.invalid("metadata.uid", uid, "field is immutable");
      invalid.throwIfAny(target.type().group(), target.type().kind(), target.name());
    }
  }

  private static void requireVersion(WriteTarget target, JsonObject next, JsonObject old)
      throws StatusException {
    String version = JsonTree.text(next, Metadata.VERSION);
    String held = JsonTree.text(old, Metadata.VERSION);
    String name = target.name();
    if (version.isEmpty() || version.equals("0")) {
      if (target.strategy().has(Trait.VERSION_REQUIRED)) {
        FieldErrors invalid = new FieldErrors();
        invalid.invalid(
            "metadata.resourceVersion", new JsonPrimitive(0), "must be specified for an update");
        invalid.throwIfAny(target.type().group(), target.type().resource(), name);
      }
    } else if (!version.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw WriteErrors.internalError(
          "strconv.ParseUint: parsing " + GoJsonText.quoted(version) + ": invalid syntax");
    } else if (!version.equals(held)) {
      throw WriteErrors.conflict(target.type(), name, MODIFIED);
    }
  }

  /** Restores the metadata that no update may change. */
  private static void restoreImmutableMetadata(JsonObject old, JsonObject next) {
    for (String name :
        List.of(
            Metadata.NAME,
            "generateName",
            Metadata.NAMESPACE,
            Metadata.UID,
            Metadata.VERSION,
            Metadata.GENERATION,
            Metadata.CREATED,
            Metadata.DELETED,
            Metadata.GRACE)) {
      JsonTree.carryOver(old, next, name);
    }
  }

  /** Restores from the old object all members that this update may not change. */
  private static void restoreUnaffectedParts(
      TypeStrategy rules, JsonObject old, JsonObject next, UpdatedPart part) {
    switch (part) {
      case OBJECT -> {
        if (rules.has(Trait.STATUS)) {
          JsonTree.carryOver(old, next, "status");
        }
      }
      case STATUS -> {
        @Nullable JsonElement status = next.get("status");
        JsonObject owners = Metadata.of(next);
        JsonTree.carryOver(Metadata.of(old), owners, "ownerReferences");
        List<String> others = new ArrayList<>(next.keySet());
        others.addAll(old.keySet());
        for (String member : others) {
          boolean taken = member.equals("metadata") && rules.has(Trait.STATUS_WITH_METADATA);
          if (!taken) {
            JsonTree.carryOver(old, next, member);
          }
        }
        next.remove("status");
        if (status != null) {
          next.add("status", status);
        }
      }
      case FINALIZERS -> {
        @Nullable JsonElement finalizers = JsonTree.at(next, "spec", "finalizers");
        for (String member : List.copyOf(next.keySet())) {
          JsonTree.carryOver(old, next, member);
        }
        JsonObject spec = JsonTree.objectOrNew(next, "spec");
        spec.remove("finalizers");
        if (finalizers != null) {
          spec.add("finalizers", finalizers);
        }
      }
      case ANYTHING -> {}
    }
  }

  private static void validate(
      WriteTarget target, JsonObject next, JsonObject old, UpdatedPart part)
      throws StatusException {
    FieldErrors invalid = new FieldErrors();
    Metadata.validate(Metadata.of(next), target.strategy().names(), invalid);
    if (JsonTree.has(old, "metadata", Metadata.DELETED)) {
      List<String> added = new ArrayList<>(JsonTree.texts(next, "metadata", Metadata.FINALIZERS));
      added.removeAll(JsonTree.texts(old, "metadata", Metadata.FINALIZERS));
      if (!added.isEmpty()) {
        invalid.forbidden(
            "metadata.finalizers",
            "no new finalizers can be added if the object is being deleted, found new finalizers "
                + added);
      }
    }
    if (part == UpdatedPart.OBJECT) {
      target.strategy().validate(next, invalid);
      target.strategy().validateUpdate(next, old, invalid);
    } else if (part == UpdatedPart.STATUS) {
      target.strategy().validateStatus(next, invalid);
    }
    invalid.throwIfAny(target.type().group(), target.type().kind(), target.name());
  }
}
