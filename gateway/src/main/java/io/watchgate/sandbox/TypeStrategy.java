package io.watchgate.sandbox;

import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is particular to a type: its traits, what the apiserver fills in, what it refuses. Made for
 * a type without peculiarities; others override. Called with the store's lock held.
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

  /** What of an object cannot be read, beyond what its schema says; null if all can be. */
  @Nullable String malformed(JsonObject object) {
    return null;
  }

  /** Fills in what every written object of the type has. */
  void defaults(JsonObject object) {}

  /** Fills in what a new object has, and takes away what it cannot have yet. */
  void prepareCreate(JsonObject object, Allocator allocations) {
    if (has(Trait.STATUS)) {
      object.remove("status");
    }
  }

  /** Gives an object that is replaced what was allocated for it. */
  void prepareUpdate(JsonObject now, JsonObject old) {}

  /** Collects what is wrong with an object. */
  void validate(JsonObject object, FieldErrors invalid) {}

  /** Collects what may not change. */
  void validateUpdate(JsonObject now, JsonObject old, FieldErrors invalid) {}

  /** Collects what is wrong with a status that was written. */
  void validateStatus(JsonObject object, FieldErrors invalid) {}

  /** Whether what is wanted differs, for metadata.generation: all but metadata and status. */
  boolean wantsElse(JsonObject now, JsonObject old) {
    Set<String> members = new HashSet<>(now.keySet());
    members.addAll(old.keySet());
    members.remove("metadata");
    if (has(Trait.STATUS)) {
      members.remove("status");
    }
    return members.stream().anyMatch(name -> !ObjectNormalizer.same(now.get(name), old.get(name)));
  }
}
