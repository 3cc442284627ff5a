package io.watchgate.sandbox.schema;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A field of a built-in type.
 *
 * @param presence whether an apiserver sends it even where it is empty
 * @param strategies how a strategic merge patch treats it; empty: it replaces a list and merges an
 *     object
 * @param mergeKey what tells the elements of a merged list of objects apart
 * @param listKeys what makes the elements of a list unique, if it has unique ones
 */
public record SchemaField(
    String name,
    SchemaType type,
    Presence presence,
    Set<Strategy> strategies,
    Optional<String> mergeKey,
    List<String> listKeys) {

  /** Whether a field is always there. */
  public enum Presence {
    OPTIONAL,
    REQUIRED
  }

  /** Of {@code x-kubernetes-patch-strategy}. */
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
