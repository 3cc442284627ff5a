package io.watchgate.sandbox.schema;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A field of a built-in type.
 *
 * @param presence whether an apiserver writes the field even if it is empty
 * @param strategies merging by a strategic merge patch; without strategies, lists are replaced and
 *     objects are merged
 * @param mergeKey key of the elements in a merged list of objects
 * @param listKeys members that identify the elements of a list, if its elements are unique
 */
public record SchemaField(
    String name,
    SchemaType type,
    Presence presence,
    Set<Strategy> strategies,
    Optional<String> mergeKey,
    List<String> listKeys) {

  /** Presence of a field in written objects. */
  public enum Presence {
    OPTIONAL,
    REQUIRED
  }

  /** Values of {@code x-kubernetes-patch-strategy}. */
  public enum Strategy {
    MERGE,
    REPLACE,
    RETAIN_KEYS
  }

  public SchemaField {
    strategies = Set.copyOf(strategies);
    listKeys = List.copyOf(listKeys);
  }
}
