package io.watchgate.fanout;

import io.watchgate.cache.KeyRange;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.FieldRequirement;
import java.util.List;

/**
 * Key ranges that a selection can match. A name in given namespaces, or of a cluster-scoped type,
 * is one key per namespace. A name in all namespaces can be anywhere.
 */
public final class SelectedKeyRanges {
  private SelectedKeyRanges() {}

  /**
   * Returns disjoint ranges in key order; none for a selection that requires two names or
   * namespaces at once. Objects inside the ranges need not match; objects outside of them do not
   * match.
   */
  public static List<KeyRange> of(CompiledSelection selection) {
    List<String> names = wanted(selection, "metadata.name");
    List<String> fields = wanted(selection, "metadata.namespace");
    List<String> namespaces = selection.namespaces();
    if (names.size() > 1 || fields.size() > 1) {
      return List.of();
    }
    // Objects of a cluster-scoped type are in the empty namespace, which is no prefix of keys.
    if (fields.size() == 1 && !fields.getFirst().isEmpty()) {
      if (!namespaces.isEmpty() && !namespaces.contains(fields.getFirst())) {
        return List.of();
      }
      namespaces = fields;
    }
    if (namespaces.isEmpty()) {
      boolean point = names.size() == 1 && !selection.type().isNamespaced();
      return List.of(point ? KeyRange.ofKey(names.getFirst()) : KeyRange.ALL);
    }
    return namespaces.stream()
        .map(namespace -> within(namespace, names))
        .sorted(KeyRange.ORDER)
        .toList();
  }

  /** Returns whether the objects of the ranges must be filtered to find the matching ones. */
  static boolean requireScan(CompiledSelection selection) {
    return !selection.labels().requirements().isEmpty()
        || selection.fields().requirements().stream()
            .anyMatch(one -> !one.field().equals("metadata.namespace"));
  }

  private static KeyRange within(String namespace, List<String> names) {
    return names.isEmpty()
        ? KeyRange.ofNamespace(namespace)
        : KeyRange.ofKey(namespace + "/" + names.getFirst());
  }

  private static List<String> wanted(CompiledSelection selection, String field) {
    return selection.fields().requirements().stream()
        .filter(one -> one.operator() == FieldRequirement.Operator.EQUAL)
        .filter(one -> one.field().equals(field))
        .map(FieldRequirement::value)
        .toList();
  }
}
