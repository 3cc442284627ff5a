package io.watchgate.cache;

import java.util.List;

/**
 * What the apiserver says about a resource type.
 *
 * @param type the type itself
 * @param singular the singular name, {@code pod}; may be empty
 * @param shortNames {@code po}; may be empty
 * @param verbs what can be done with it; a gateway needs {@code list} and {@code watch}
 * @param definitionUid uid of the CustomResourceDefinition, empty for built-in and aggregated types
 * @param selectableFields of a custom resource in this version, as field labels: {@code
 *     spec.color}; empty for others
 */
public record TypeDefinition(
    ResourceType type,
    String singular,
    List<String> shortNames,
    List<String> verbs,
    String definitionUid,
    List<String> selectableFields) {

  public TypeDefinition {
    shortNames = List.copyOf(shortNames);
    verbs = List.copyOf(verbs);
    selectableFields = List.copyOf(selectableFields);
  }

  /** Whether a gateway can serve it: events (core) yes, componentstatuses no. */
  public boolean watchable() {
    return verbs.contains("list") && verbs.contains("watch");
  }

  public boolean custom() {
    return !definitionUid.isEmpty();
  }
}
