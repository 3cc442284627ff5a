package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Type-specific behavior: traits, defaults and validation. This class is for a type without special
 * behavior; subclasses override its methods. Called with the store's lock held.
 */
class TypeStrategy {
  private final NameRule names;
  private final Set<Trait> traits;

  TypeStrategy(NameRule names, Trait... traits) {
    this.names = names;
    this.traits = Set.of(traits);
  }

  final NameRule names() {
    return names;
  }

  final boolean has(Trait trait) {
    return traits.contains(trait);
  }

  /**
   * Returns an error in the shape of an object that its schema does not cover; null if there is
   * none.
   */
  @Nullable String shapeError(JsonObject object) {
    return null;
  }

  /** Sets the defaults of every written object of the type. */
  void defaults(JsonObject object) {}

  /** Sets the initial values of a new object, and removes members that it cannot have yet. */
  void prepareCreate(JsonObject object, Allocator allocations) {
    if (has(Trait.STATUS)) {
      object.remove("status");
    }
  }

  /**
   * Copies values that were allocated for the old object to its replacement, and allocates those
   * that it lacks.
   */
  void prepareUpdate(JsonObject now, JsonObject old, Allocator allocations) {}

  /** Collects the errors of an object. */
  void validate(JsonObject object, FieldErrors invalid) {}

  /** Collects changes that are not allowed. */
  void validateUpdate(JsonObject now, JsonObject old, FieldErrors invalid) {}

  /** Collects the errors of a status that was written. */
  void validateStatus(JsonObject object, FieldErrors invalid) {}

  /**
   * Returns whether the desired state differs, for metadata.generation: every member but metadata
   * and status.
   */
  boolean hasDesiredStateChanged(JsonObject now, JsonObject old) {
    Set<String> members = new HashSet<>(now.keySet());
    members.addAll(old.keySet());
    members.remove("metadata");
    if (has(Trait.STATUS)) {
      members.remove("status");
    }
    return members.stream()
        .anyMatch(name -> !ObjectNormalizer.isEqual(now.get(name), old.get(name)));
  }
}
