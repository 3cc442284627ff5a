package io.watchgate.e2e.access;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Random requests; every other one is close to a grant. */
final class RandomQuestions {
  private static final List<String> LABELS =
      List.of("", "", "", "app=web", "app in (web,api),!canary", "app", "app notin (web)");

  private final Random random;
  private final List<ComparedUser> comparedUsers;
  private final List<RandomRights.Drawn> granted;

  RandomQuestions(
      Random random, List<ComparedUser> comparedUsers, List<RandomRights.Drawn> granted) {
    this.random = random;
    this.comparedUsers = comparedUsers;
    this.granted = granted;
  }

  Question next() {
    ComparedUser user = pick(comparedUsers);
    if (user.name().startsWith("system:node:") && random.nextInt(3) > 0) {
      return ofNode(user);
    }
    if (random.nextBoolean()) {
      return near(pick(granted), user);
    }
    Type type = pick(Type.ALL);
    return question(user, type, namespaces(type), fields(type));
  }

  /** Returns a request of the grant's user, or of {@code otherwise} if the grant is for a group. */
  private Question near(RandomRights.Drawn drawn, ComparedUser otherwise) {
    ComparedUser user =
        comparedUsers.stream()
            .filter(one -> one.name().equals(nameOf(drawn.to())))
            .findFirst()
            .orElse(otherwise);
    List<Type> fitting =
        Type.ALL.stream()
            .filter(type -> drawn.rule().resources().contains(type.resource().plural()))
            .toList();
    Type type = pick(fitting.isEmpty() ? Type.ALL : fitting);
    List<String> namespaces = namespaces(type);
    if (type.isNamespaced() && !drawn.namespace().isEmpty() && random.nextInt(4) > 0) {
      namespaces = List.of(drawn.namespace());
    }
    boolean byName = !drawn.rule().names().isEmpty() && random.nextInt(4) > 0;
    return question(user, type, namespaces, byName ? name(type) : fields(type));
  }

  private static String nameOf(Subject subject) {
    return switch (subject.kind()) {
      case "ServiceAccount" ->
          "system:serviceaccount:" + subject.namespace() + ":" + subject.name();
      default -> subject.name();
    };
  }

  private Question ofNode(ComparedUser user) {
    return switch (random.nextInt(4)) {
      case 0 -> question(user, Type.NODES, List.of(), nodeName("metadata.name"));
      case 1 -> {
        Type type = random.nextBoolean() ? Type.CONFIGMAPS : Type.SECRETS;
        yield question(user, type, namespaces(type), name(type));
      }
      case 2 -> question(user, Type.SERVICES, namespaces(Type.SERVICES), "");
      default -> question(user, Type.PODS, namespaces(Type.PODS), nodeName("spec.nodeName"));
    };
  }

  private String nodeName(String field) {
    return switch (random.nextInt(8)) {
      case 0 -> "";
      case 1 -> field + "!=node-1";
      case 2 -> field + "=";
      case 3 -> field + "==node-1,metadata.name!=n3";
      case 4 -> field + "=node-2";
      default -> field + "=node-1";
    };
  }

  private Question question(
      ComparedUser user, Type type, List<String> namespaces, String fieldSelector) {
    return new Question(
        user,
        type,
        pick(type.names()),
        namespaces,
        pick(LABELS),
        fieldSelector,
        pick(ComparedUsers.NAMES));
  }

  private List<String> namespaces(Type type) {
    if (!type.isNamespaced() || random.nextInt(4) == 0) {
      return List.of();
    }
    List<String> all = new ArrayList<>(ComparedUsers.NAMESPACES);
    all.add("absent");
    Collections.shuffle(all, random);
    return List.copyOf(all.subList(0, 1 + random.nextInt(random.nextInt(3) + 1)));
  }

  private String fields(Type type) {
    return switch (random.nextInt(8)) {
      case 0 -> name(type);
      case 1 -> "metadata.name!=" + pick(ComparedUsers.NAMES);
      case 2 -> type.isNamespaced() ? "metadata.namespace=" + pick(ComparedUsers.NAMESPACES) : "";
      case 3 -> own(type);
      default -> "";
    };
  }

  /** Returns a selector by a field that only this type has. */
  private String own(Type type) {
    if (type.equals(Type.PODS)) {
      return nodeName("spec.nodeName");
    }
    return type.equals(Type.WIDGETS) ? "spec.color=red" : "";
  }

  /**
   * Returns a field selector that names an object, in forms that authorization considers and in
   * forms that it ignores.
   */
  private String name(Type type) {
    String name = pick(ComparedUsers.NAMES);
    String own =
        switch (random.nextInt(12)) {
          case 0 -> "metadata.name==" + name;
          case 1 -> "metadata.name=" + name + ",metadata.name!=n9";
          // Two requirements on the name select nothing, and the apiserver authorizes by the first
          // name.
          case 2 -> "metadata.name=" + name + ",metadata.name==" + name;
          // Not a valid path segment, so the apiserver does not treat it as a name either.
          case 3 -> "metadata.name=" + pick(List.of("", "..", ".", "a/b", "50%", "n1 "));
          case 4 -> "metadata.name=*";
          default -> "metadata.name=" + name;
        };
    boolean also = type.isNamespaced() && random.nextInt(5) == 0;
    return also ? "metadata.namespace=" + pick(ComparedUsers.NAMESPACES) + "," + own : own;
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }

  /** Returns a readable message. */
  static String lines(List<String> differences) {
    return differences.stream().limit(20).collect(Collectors.joining("\n"));
  }
}
