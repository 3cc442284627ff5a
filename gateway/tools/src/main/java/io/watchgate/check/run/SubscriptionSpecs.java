package io.watchgate.check.run;

import io.watchgate.check.ProjectionSpec;
import io.watchgate.check.ProjectionSpec.View;
import io.watchgate.check.SelectionSpec;
import io.watchgate.check.SelectorRequirement;
import io.watchgate.check.SelectorRequirement.Operator;
import io.watchgate.check.Session.Policy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Generator of subscription specs. */
final class SubscriptionSpecs {
  /**
   * Projections. Their pointers lead to fields that only some objects have and some writes change.
   */
  static final List<ProjectionSpec> PROJECTIONS =
      List.of(
          ProjectionSpec.FULL,
          ProjectionSpec.KEY,
          new ProjectionSpec(View.NO_MANAGED_FIELDS, List.of()),
          new ProjectionSpec(View.METADATA, List.of()),
          new ProjectionSpec(View.PARTS, List.of("/metadata/labels", "/status/phase")));

  private final List<String> namespaces;
  private final Random random;

  /** Selections not used since all were used last, so that a few subscribers use all selections. */
  private final Map<WatchedType, List<SelectionSpec>> unusedSelections =
      new EnumMap<>(WatchedType.class);

  SubscriptionSpecs(List<String> namespaces, Random random) {
    this.namespaces = List.copyOf(namespaces);
    this.random = random;
  }

  SubscriptionSpec next(WatchedType type) {
    ProjectionSpec projection = pick(PROJECTIONS);
    SubscriptionSpec.Changes changes =
        projection.equals(ProjectionSpec.KEY) || random.nextInt(3) > 0
            ? SubscriptionSpec.Changes.WHOLE
            : SubscriptionSpec.Changes.PATCHES;
    return new SubscriptionSpec(
        type, query(type), projection, changes, pick(List.of(Policy.values())));
  }

  private SelectionSpec query(WatchedType type) {
    List<SelectionSpec> queries = unusedSelections.computeIfAbsent(type, any -> new ArrayList<>());
    if (queries.isEmpty()) {
      queries.addAll(queries(type));
      Collections.shuffle(queries, random);
    }
    return queries.removeLast();
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private List<SelectionSpec> queries(WatchedType type) {
    List<SelectionSpec> all = new ArrayList<>();
    all.add(SelectionSpec.EVERYTHING);
    all.add(in(Set.of(namespaces.getFirst())));
    all.add(in(Set.copyOf(namespaces.subList(0, 2))));
    all.add(labelled(in("app", "web")));
    all.add(labelled(in("app", "web", "api"), has("canary", Operator.EXISTS_NOT)));
    all.add(labelled(has("canary", Operator.EXISTS)));
    all.add(labelled(notIn("app", "db"), notIn("tier", "3")));
    all.add(with(in("metadata.name", type.objectName(WriteWorkload.name(0, 1)))));
    all.add(
        new SelectionSpec(
            Set.copyOf(namespaces),
            List.of(in("tier", "1", "2")),
            List.of(notIn("metadata.namespace", namespaces.getLast()))));
    switch (type) {
      case CONFIGMAPS, LEASES, ROLES -> {}
      case PODS -> {
        all.add(with(in("spec.nodeName", WriteWorkload.node(1))));
        all.add(with(in("spec.nodeName", WriteWorkload.node(2)), notIn("status.phase", "Running")));
        all.add(with(in("status.phase", "Running")));
      }
    }
    return all;
  }

  private static SelectionSpec in(Set<String> namespaces) {
    return new SelectionSpec(namespaces, List.of(), List.of());
  }

  private static SelectionSpec labelled(SelectorRequirement... labels) {
    return new SelectionSpec(Set.of(), List.of(labels), List.of());
  }

  private static SelectionSpec with(SelectorRequirement... fields) {
    return new SelectionSpec(Set.of(), List.of(), List.of(fields));
  }

  private static SelectorRequirement in(String of, String... values) {
    return new SelectorRequirement(of, Operator.IN, Set.of(values));
  }

  private static SelectorRequirement notIn(String of, String... values) {
    return new SelectorRequirement(of, Operator.NOT_IN, Set.of(values));
  }

  private static SelectorRequirement has(String of, Operator operator) {
    return new SelectorRequirement(of, operator, Set.of());
  }
}
