package io.watchgate.check;

import io.watchgate.check.SelectorRequirement.Absent;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Selection of objects. The gateway receives it in Kubernetes' grammar; checks evaluate this
 * structure instead, without parsing.
 *
 * @param namespaces none: all
 */
public record SelectionSpec(
    Set<String> namespaces, List<SelectorRequirement> labels, List<SelectorRequirement> fields) {
  /** All objects of the type. */
  public static final SelectionSpec EVERYTHING = new SelectionSpec(Set.of(), List.of(), List.of());

  public SelectionSpec {
    namespaces = Set.copyOf(namespaces);
    labels = List.copyOf(labels);
    fields = List.copyOf(fields);
  }

  boolean matches(RecordedState state) {
    return (namespaces.isEmpty() || namespaces.contains(state.key().namespace()))
        && labels.stream().allMatch(one -> one.holds(state.labels(), Absent.IS_ABSENT))
        && fields.stream().allMatch(one -> one.holds(state.fields(), Absent.IS_EMPTY));
  }

  /** Returns the label selector; empty: every object. */
  public String labelSelector() {
    return labels.stream().map(SelectorRequirement::label).collect(Collectors.joining(","));
  }

  /** Returns the field selector; empty: every object. */
  public String fieldSelector() {
    return fields.stream().map(SelectorRequirement::field).collect(Collectors.joining(","));
  }

  @Override
  public String toString() {
    return (namespaces.isEmpty()
            ? "in all namespaces"
            : "in " + namespaces.stream().sorted().collect(Collectors.joining(", ")))
        + (labels.isEmpty() ? "" : ", labels " + labelSelector())
        + (fields.isEmpty() ? "" : ", fields " + fieldSelector());
  }
}
