package io.watchgate.select;

import io.watchgate.labels.LabelRequirement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Requirement by which a selection can be indexed: a text of the object is one of some values.
 *
 * <p>Only such requirements support lookup. {@code !=}, {@code notin}, {@code !key}, {@code key},
 * {@code <} and {@code >} match most objects, or values that are not known in advance.
 */
sealed interface IndexKey {

  /** Returns the values: one or more, distinct. */
  List<String> values();

  /** Key of a selectable field, or of the namespace. */
  record Field(FieldAccessor source, List<String> values) implements IndexKey {}

  /** Key of a label. */
  record Label(String key, List<String> values) implements IndexKey {}

  /**
   * Returns all index keys of the selection, the one that the fewest objects are expected to fulfil
   * first: the name, fields, labels, namespaces; within a kind, keys with fewer values first.
   */
  static List<IndexKey> of(CompiledSelection selection) {
    List<IndexKey> keys = new ArrayList<>(selection.fields().indexKeys());
    for (LabelRequirement requirement : selection.labels().requirements()) {
      if (requirement.operator() == LabelRequirement.Operator.IN) {
        keys.add(new Label(requirement.key(), requirement.values()));
      }
    }
    if (!selection.namespaces().isEmpty()) {
      keys.add(new Field(FieldAccessor.Namespace.NAMESPACE, selection.namespaces()));
    }
    keys.sort(
        Comparator.comparingInt(IndexKey::rank).thenComparingInt(anchor -> anchor.values().size()));
    return keys;
  }

  private int rank() {
    return switch (this) {
      case Field field ->
          switch (field.source) {
            case FieldAccessor.Name _ -> 0;
            case FieldAccessor.Leaf _, FieldAccessor.FirstOf _ -> 1;
            case FieldAccessor.Namespace _ -> 3;
            case FieldAccessor.Nothing _ -> 4;
          };
      case Label _ -> 2;
    };
  }
}
