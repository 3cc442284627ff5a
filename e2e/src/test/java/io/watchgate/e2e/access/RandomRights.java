package io.watchgate.e2e.access;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Random grants: all kinds of roles and bindings, one verb or all, with names and wildcards, and
 * some without effect.
 */
final class RandomRights {
  /** Grant with its subject, for requests that are close to it. */
  record Drawn(Subject to, String namespace, Rule rule) {}

  private final Random random;
  private final Rights rights;

  RandomRights(Random random, Rights rights) {
    this.random = random;
    this.rights = rights;
  }

  Drawn grant(Subject to) {
    Type type = pick(Type.ALL);
    Rule rule = new Rule(groups(type), resources(type), verbs(), names(), List.of());
    String namespace = pick(ComparedUsers.NAMESPACES);
    return switch (random.nextInt(4)) {
      case 0 -> {
        rights.everywhere(to, rule);
        yield new Drawn(to, "", rule);
      }
      case 1 -> {
        rights.wideRoleIn(namespace, to, rule);
        yield new Drawn(to, namespace, rule);
      }
      default -> {
        rights.in(namespace, to, rule);
        yield new Drawn(to, namespace, rule);
      }
    };
  }

  /** Adds half of a right for all objects everywhere, so that every run contains this case. */
  List<Drawn> halves() {
    List<Drawn> drawn = new ArrayList<>();
    for (String verb : List.of("list", "watch")) {
      for (Type type : List.of(Type.SERVICES, Type.WIDGETS, Type.NODES)) {
        Subject to = Subject.user(verb.equals("list") ? "dave" : "carol");
        Rule rule = Rule.verbs(type.qualified(), verb);
        rights.everywhere(to, rule);
        drawn.add(new Drawn(to, "", rule));
      }
    }
    return drawn;
  }

  private List<String> groups(Type type) {
    return switch (random.nextInt(10)) {
      case 0 -> List.of("*");
      case 1 -> List.of("", "apps");
      case 2 -> List.of("elsewhere.example");
      default -> List.of(type.resource().group());
    };
  }

  private List<String> resources(Type type) {
    String plural = type.resource().plural();
    return switch (random.nextInt(12)) {
      case 0 -> List.of("*");
      case 1 -> List.of(plural + "/status");
      case 2 -> List.of("*/" + plural);
      case 3 -> List.of(type.resource().kind());
      case 4 -> List.of(plural, pick(Type.ALL).resource().plural());
      default -> List.of(plural);
    };
  }

  private List<String> verbs() {
    return switch (random.nextInt(12)) {
      case 0 -> List.of("*");
      case 1, 2 -> List.of("list");
      case 3, 4 -> List.of("watch");
      case 5 -> List.of("get");
      case 6 -> List.of("get", "list", "watch", "create");
      default -> List.of("list", "watch");
    };
  }

  private List<String> names() {
    return switch (random.nextInt(8)) {
      case 0 -> List.of(pick(ComparedUsers.NAMES));
      case 1 -> Stream.of("n1", "n2").toList();
      // Kinds of wildcards that RBAC does not support.
      case 2 -> random.nextBoolean() ? List.of("*") : new ArrayList<>();
      default -> List.of();
    };
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }
}
