package io.watchgate.check;

import io.watchgate.check.Requirement.Absent;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which objects somebody asked for; said to the gateway in Kubernetes' grammar, and decided here
 * once more from what was meant, without parsing it.
 *
 * @param namespaces none: all
 */
public record Query(Set<String> namespaces, List<Requirement> labels, List<Requirement> fields) {
  /** All of the type. */
  public static final Query EVERYTHING = new Query(Set.of(), List.of(), List.of());

  public Query {
    namespaces = Set.copyOf(namespaces);
    labels = List.copyOf(labels);
    fields = List.copyOf(fields);
  }

  boolean matches(State state) {
    return (namespaces.isEmpty() || namespaces.contains(state.key().namespace()))
        && labels.stream().allMatch(one -> one.holds(state.labels(), Absent.IS_ABSENT))
        && fields.stream().allMatch(one -> one.holds(state.fields(), Absent.IS_EMPTY));
  }

  /** Empty: every object. */
  public String labelSelector() {
    return labels.stream().map(Requirement::label).collect(Collectors.joining(","));
  }

  /** Empty: every object. */
  public String fieldSelector() {
    return fields.stream().map(Requirement::field).collect(Collectors.joining(","));
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
