package io.watchgate.check.run;

import io.watchgate.check.Query;
import io.watchgate.check.Requirement;
import io.watchgate.check.Requirement.Operator;
import io.watchgate.check.Session.Policy;
import io.watchgate.check.Shape;
import io.watchgate.check.Shape.View;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** What may be asked for. */
final class Wishes {
  /** Pointers to what some objects have, others not, and some writes change. */
  static final List<Shape> SHAPES =
      List.of(
          Shape.FULL,
          Shape.KEY,
          new Shape(View.NO_MANAGED_FIELDS, List.of()),
          new Shape(View.METADATA, List.of()),
          new Shape(View.PARTS, List.of("/metadata/labels", "/status/phase")));

  private final List<String> namespaces;
  private final Random random;

  /** What nobody has asked for since all were asked for, so that a few subscribers ask for all. */
  private final Map<WatchedType, List<Query>> left = new EnumMap<>(WatchedType.class);

  Wishes(List<String> namespaces, Random random) {
    this.namespaces = List.copyOf(namespaces);
    this.random = random;
  }

  Wish next(WatchedType type) {
    Shape shape = pick(SHAPES);
    Wish.Changes changes =
        shape.equals(Shape.KEY) || random.nextInt(3) > 0
            ? Wish.Changes.WHOLE
            : Wish.Changes.PATCHES;
    return new Wish(type, query(type), shape, changes, pick(List.of(Policy.values())));
  }

  private Query query(WatchedType type) {
    List<Query> queries = left.computeIfAbsent(type, any -> new ArrayList<>());
    if (queries.isEmpty()) {
      queries.addAll(queries(type));
      Collections.shuffle(queries, random);
    }
    return queries.removeLast();
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private List<Query> queries(WatchedType type) {
    List<Query> all = new ArrayList<>();
    all.add(Query.EVERYTHING);
    all.add(in(Set.of(namespaces.getFirst())));
    all.add(in(Set.copyOf(namespaces.subList(0, 2))));
    all.add(labelled(in("app", "web")));
    all.add(labelled(in("app", "web", "api"), has("canary", Operator.EXISTS_NOT)));
    all.add(labelled(has("canary", Operator.EXISTS)));
    all.add(labelled(notIn("app", "db"), notIn("tier", "3")));
    all.add(with(in("metadata.name", type.spell(Traffic.name(0, 1)))));
    all.add(
        new Query(
            Set.copyOf(namespaces),
            List.of(in("tier", "1", "2")),
            List.of(notIn("metadata.namespace", namespaces.getLast()))));
    switch (type) {
      case CONFIGMAPS, LEASES, ROLES -> {}
      case PODS -> {
        all.add(with(in("spec.nodeName", Traffic.node(1))));
        all.add(with(in("spec.nodeName", Traffic.node(2)), notIn("status.phase", "Running")));
        all.add(with(in("status.phase", "Running")));
      }
    }
    return all;
  }

  private static Query in(Set<String> namespaces) {
    return new Query(namespaces, List.of(), List.of());
  }

  private static Query labelled(Requirement... labels) {
    return new Query(Set.of(), List.of(labels), List.of());
  }

  private static Query with(Requirement... fields) {
    return new Query(Set.of(), List.of(), List.of(fields));
  }

  private static Requirement in(String of, String... values) {
    return new Requirement(of, Operator.IN, Set.of(values));
  }

  private static Requirement notIn(String of, String... values) {
    return new Requirement(of, Operator.NOT_IN, Set.of(values));
  }

  private static Requirement has(String of, Operator operator) {
    return new Requirement(of, operator, Set.of());
  }
}
