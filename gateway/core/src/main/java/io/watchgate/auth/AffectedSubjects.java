package io.watchgate.auth;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Subjects whose rights a change of roles may reduce. RBAC only ever allows: what is removed from a
 * binding, or from the role that it names, is removed from the subjects of the binding and from no
 * other.
 */
sealed interface AffectedSubjects {
  AffectedSubjects ALL = new All();
  AffectedSubjects NONE = new Named(Set.of(), Set.of());

  boolean contains(UserInfo identity);

  /** Returns the union with other subjects. */
  AffectedSubjects plus(AffectedSubjects others);

  /** All subjects, because the affected subjects cannot be determined. */
  record All() implements AffectedSubjects {
    @Override
    public boolean contains(UserInfo identity) {
      return true;
    }

    @Override
    public AffectedSubjects plus(AffectedSubjects others) {
      return this;
    }
  }

  /** Subjects by their names. */
  record Named(Set<String> users, Set<String> groups) implements AffectedSubjects {
    public Named {
      users = Set.copyOf(users);
      groups = Set.copyOf(groups);
    }

    @Override
    public boolean contains(UserInfo identity) {
      return users.contains(identity.user())
          || identity.groups().stream().anyMatch(groups::contains);
    }

    @Override
    public AffectedSubjects plus(AffectedSubjects others) {
      return switch (others) {
        case All all -> all;
        case Named(Set<String> moreUsers, Set<String> moreGroups) ->
            new Named(union(users, moreUsers), union(groups, moreGroups));
      };
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
      return Stream.concat(one.stream(), other.stream()).collect(Collectors.toUnmodifiableSet());
    }
  }

  /**
   * Returns the subjects of a RoleBinding or ClusterRoleBinding; all subjects if the binding cannot
   * be parsed as expected.
   */
  static AffectedSubjects of(JsonObject binding) {
    JsonElement listed = binding.get("subjects");
    if (listed == null) {
      return NONE;
    }
    if (!(listed instanceof JsonArray subjects)) {
      return ALL;
    }
    String own = namespace(binding);
    AffectedSubjects all = NONE;
    for (JsonElement subject : subjects) {
      all = all.plus(subject instanceof JsonObject object ? ofSubject(object, own) : ALL);
    }
    return all;
  }

  private static String namespace(JsonObject binding) {
    return binding.get("metadata") instanceof JsonObject metadata
        ? text(metadata, "namespace")
        : "";
  }

  /**
   * @param own namespace of the binding, in which a service account without a namespace is
   */
  private static AffectedSubjects ofSubject(JsonObject subject, String own) {
    String name = text(subject, "name");
    return switch (text(subject, "kind")) {
      case "User" -> new Named(Set.of(name), Set.of());
      case "Group" -> new Named(Set.of(), Set.of(name));
      case "ServiceAccount" -> {
        String given = text(subject, "namespace");
        String namespace = given.isEmpty() ? own : given;
        yield namespace.isEmpty()
            ? ALL
            : new Named(Set.of("system:serviceaccount:" + namespace + ":" + name), Set.of());
      }
      default -> ALL;
    };
  }

  private static String text(JsonObject object, String key) {
    return object.get(key) instanceof JsonPrimitive value ? value.getAsString() : "";
  }
}
