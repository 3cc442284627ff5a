package io.watchgate.cache;

import java.util.ArrayList;
import java.util.List;

/**
 * Definition of a resource type as the apiserver reports it.
 *
 * @param type the type itself
 * @param singular singular name, {@code pod}; may be empty
 * @param shortNames {@code po}; may be empty
 * @param verbs supported verbs; a gateway needs {@code list} and {@code watch}
 * @param definitionUid uid of the CustomResourceDefinition, empty for built-in and aggregated types
 * @param selectableFields selectable fields of a custom resource in this version, as field labels:
 *     {@code spec.color}; empty for other types
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

  /** Returns whether a gateway can serve the type: events (core) yes, componentstatuses no. */
  public boolean isWatchable() {
    return verbs.contains("list") && verbs.contains("watch");
  }

  /**
   * Returns whether a list-watch that was opened by this definition also serves {@code other}. It
   * does if type and storage are the same and this definition has all selectable fields of the
   * other. Kind, names and verbs are details.
   */
  public boolean covers(TypeDefinition other) {
    return isSameType(other) && selectableFields.containsAll(other.selectableFields);
  }

  /** Returns whether both have the same type, scope and CustomResourceDefinition, if any. */
  boolean isSameType(TypeDefinition other) {
    return type.reference().equals(other.type.reference())
        && type.scope() == other.type.scope()
        && definitionUid.equals(other.definitionUid);
  }

  /** Returns a copy with the other's selectable fields added. */
  TypeDefinition withFieldsOf(TypeDefinition other) {
    List<String> fields = new ArrayList<>(selectableFields);
    other.selectableFields.stream().filter(field -> !fields.contains(field)).forEach(fields::add);
    return new TypeDefinition(type, singular, shortNames, verbs, definitionUid, fields);
  }

  public boolean isCustom() {
    return !definitionUid.isEmpty();
  }
}
