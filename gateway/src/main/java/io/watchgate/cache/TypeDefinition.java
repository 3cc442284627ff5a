package io.watchgate.cache;

import java.util.ArrayList;
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
    ApiResource type,
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

  /**
   * Whether a list-watch that was opened by this definition serves the other one as well: the type
   * and what it is stored as are the same, and each of the other's selectable fields is one here.
   * Kind, names and verbs are details.
   */
  public boolean covers(TypeDefinition other) {
    return isSameType(other) && selectableFields.containsAll(other.selectableFields);
  }

  /** Whether both are of one type, in one scope and of one CustomResourceDefinition, if any. */
  boolean isSameType(TypeDefinition other) {
    return type.name().equals(other.type.name())
        && type.scope() == other.type.scope()
        && definitionUid.equals(other.definitionUid);
  }

  /** The same with the other's selectable fields as well. */
  TypeDefinition withFieldsOf(TypeDefinition other) {
    List<String> fields = new ArrayList<>(selectableFields);
    other.selectableFields.stream().filter(field -> !fields.contains(field)).forEach(fields::add);
    return new TypeDefinition(type, singular, shortNames, verbs, definitionUid, fields);
  }

  public boolean custom() {
    return !definitionUid.isEmpty();
  }
}
