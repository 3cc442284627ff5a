package io.watchgate.sandbox;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.watchgate.http.StatusException;
import io.watchgate.json.KubeObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changes objects that are there. */
final class Update {
  static final String MODIFIED =
      "the object has been modified; please apply your changes to the latest version and try again";

  private final Store store;
  private final Creation creation;
  private final Consequences consequences;

  Update(Store store, Creation creation, Consequences consequences) {
    this.store = store;
    this.creation = creation;
    this.consequences = consequences;
  }

  /** What an object becomes. */
  @FunctionalInterface
  interface Step {
    /**
     * Works out the next state.
     *
     * @param now the stored object, a copy that may be changed
     */
    JsonObject next(JsonObject now) throws StatusException;
  }

  /** An object, and whether it was made anew. */
  record Result(JsonObject object, boolean created) {}

  /** PUT: whatever there is becomes what was sent. */
  Result replace(Target target, JsonObject sent, Part part, Commit commit) throws StatusException {
    return store.inOrder(
        () -> {
          boolean create =
              part == Part.OBJECT
                  && target.rules().has(Trait.CREATE_ON_UPDATE)
                  && target.stored().find(target.namespace(), target.name()) == null;
          return create
              ? new Result(creation.create(target, sent, commit), true)
              : new Result(change(target, now -> replaced(target, now, sent), part, commit), false);
        });
  }

  private static JsonObject replaced(Target target, JsonObject now, JsonObject sent)
      throws StatusException {
    String expected = Tree.text(sent, "metadata", Metadata.UID);
    String held = Tree.text(now, "metadata", Metadata.UID);
    if (!expected.isEmpty() && !expected.equals(held)) {
      throw Refusals.conflict(
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
   * @return the object as it is stored; with its old version if nothing changed, or if it is gone
   *     with this change
   */
  JsonObject change(Target target, Step step, Part part, Commit commit) throws StatusException {
    return store.inOrder(() -> changed(target, step, part, commit));
  }

  private JsonObject changed(Target target, Step step, Part part, Commit commit)
      throws StatusException {
    StoredType type = target.stored();
    KubeObject view = type.find(target.namespace(), target.name());
    if (view == null) {
      throw Refusals.notFound(target.type(), target.name());
    }
    JsonObject old = StoredType.tree(view);
    JsonObject next = Objects.canonical(step.next(old.deepCopy()), type.type());
    requireVersion(target, Metadata.of(next), Metadata.of(old));
    requireUid(target, Metadata.of(next), Metadata.of(old));
    keep(Metadata.of(old), Metadata.of(next));
    merge(type.rules(), old, next, part);
    next.add("metadata", Metadata.canonical(Metadata.of(next)));
    type.rules().defaults(next);
    if (part != Part.ANYTHING) {
      type.rules().prepareUpdate(next, old);
      validate(target, next, old, part);
    }
    if (Objects.same(next, old)) {
      return old;
    }
    JsonObject metadata = Metadata.of(next);
    if (part != Part.ANYTHING
        && type.rules().has(Trait.GENERATION)
        && type.rules().wantsElse(next, old)) {
      metadata.addProperty(Metadata.GENERATION, Tree.number(metadata, 0, Metadata.GENERATION) + 1);
      next.add("metadata", Metadata.canonical(metadata));
    }
    if (commit == Commit.DRY_RUN) {
      return next;
    }
    if (isOver(old, next) && !consequences.goesLast(type)) {
      store.remove(type, view);
      consequences.ofRemoving(type, view);
      return next;
    }
    store.put(type, next);
    return consequences.ofWriting(type, next);
  }

  /** Whether the last thing went that a deleted object waited for. It goes as it was before. */
  private static boolean isOver(JsonObject old, JsonObject next) {
    return Tree.has(next, "metadata", Metadata.DELETED)
        && Tree.has(old, "metadata", Metadata.FINALIZERS)
        && !Tree.has(next, "metadata", Metadata.FINALIZERS)
        && Tree.number(next, 0, "metadata", Metadata.GRACE) == 0;
  }

  private static void requireUid(Target target, JsonObject next, JsonObject old)
      throws StatusException {
    String uid = Tree.text(next, Metadata.UID);
    if (!uid.isEmpty() && !uid.equals(Tree.text(old, Metadata.UID))) {
      Invalid invalid = new Invalid();
      invalid.invalid("metadata.uid", uid, "field is immutable");
      invalid.throwIfAny(target.type().group(), target.type().kind(), target.name());
    }
  }

  private static void requireVersion(Target target, JsonObject next, JsonObject old)
      throws StatusException {
    String version = Tree.text(next, Metadata.VERSION);
    String held = Tree.text(old, Metadata.VERSION);
    String name = target.name();
    if (version.isEmpty() || version.equals("0")) {
      if (target.rules().has(Trait.VERSION_REQUIRED)) {
        Invalid invalid = new Invalid();
        invalid.invalid(
            "metadata.resourceVersion", new JsonPrimitive(0), "must be specified for an update");
        invalid.throwIfAny(target.type().group(), target.type().resource(), name);
      }
    } else if (!version.chars().allMatch(c -> c >= '0' && c <= '9')) {
      throw Refusals.unreasoned(
          "strconv.ParseUint: parsing " + JsonText.quoted(version) + ": invalid syntax");
    } else if (!version.equals(held)) {
      throw Refusals.conflict(target.type(), name, MODIFIED);
    }
  }

  /** What no update changes. */
  private static void keep(JsonObject old, JsonObject next) {
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
      Tree.carryOver(old, next, name);
    }
  }

  /** Takes from the old object what this update is not about. */
  private static void merge(TypeRules rules, JsonObject old, JsonObject next, Part part) {
    switch (part) {
      case OBJECT -> {
        if (rules.has(Trait.STATUS)) {
          Tree.carryOver(old, next, "status");
        }
      }
      case STATUS -> {
        @Nullable JsonElement status = next.get("status");
        JsonObject owners = Metadata.of(next);
        Tree.carryOver(Metadata.of(old), owners, "ownerReferences");
        List<String> others = new ArrayList<>(next.keySet());
        others.addAll(old.keySet());
        for (String member : others) {
          boolean taken = member.equals("metadata") && rules.has(Trait.STATUS_WITH_METADATA);
          if (!taken) {
            Tree.carryOver(old, next, member);
          }
        }
        next.remove("status");
        if (status != null) {
          next.add("status", status);
        }
      }
      case FINALIZERS -> {
        @Nullable JsonElement finalizers = Tree.at(next, "spec", "finalizers");
        for (String member : List.copyOf(next.keySet())) {
          Tree.carryOver(old, next, member);
        }
        JsonObject spec = Tree.objectOrNew(next, "spec");
        spec.remove("finalizers");
        if (finalizers != null) {
          spec.add("finalizers", finalizers);
        }
      }
      case ANYTHING -> {}
    }
  }

  private static void validate(Target target, JsonObject next, JsonObject old, Part part)
      throws StatusException {
    Invalid invalid = new Invalid();
    Metadata.validate(Metadata.of(next), target.rules().names(), invalid);
    if (Tree.has(old, "metadata", Metadata.DELETED)) {
      List<String> added = new ArrayList<>(Tree.texts(next, "metadata", Metadata.FINALIZERS));
      added.removeAll(Tree.texts(old, "metadata", Metadata.FINALIZERS));
      if (!added.isEmpty()) {
        invalid.forbidden(
            "metadata.finalizers",
            "no new finalizers can be added if the object is being deleted, found new finalizers "
                + added);
      }
    }
    if (part == Part.OBJECT) {
      target.rules().validate(next, invalid);
      target.rules().validateUpdate(next, old, invalid);
    } else if (part == Part.STATUS) {
      target.rules().validateStatus(next, invalid);
    }
    invalid.throwIfAny(target.type().group(), target.type().kind(), target.name());
  }
}
