package io.watchgate.auth;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whom a change of roles may concern. RBAC only ever allows: what is taken from a binding, or from
 * the role that it names, is taken from its subjects and from nobody else.
 */
sealed interface Subjects {
  Subjects EVERYBODY = new All();
  Subjects NOBODY = new Named(Set.of(), Set.of());

  boolean concern(Identity identity);

  /** Both. */
  Subjects and(Subjects others);

  /** Nobody can tell. */
  record All() implements Subjects {
    @Override
    public boolean concern(Identity identity) {
      return true;
    }

    @Override
    public Subjects and(Subjects others) {
      return this;
    }
  }

  /** By their names. */
  record Named(Set<String> users, Set<String> groups) implements Subjects {
    @Override
    public boolean concern(Identity identity) {
      return users.contains(identity.user())
          || identity.groups().stream().anyMatch(groups::contains);
    }

    @Override
    public Subjects and(Subjects others) {
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
   * Of a RoleBinding or ClusterRoleBinding; of one that is read otherwise than it was meant, all.
   */
  static Subjects of(JsonObject binding) {
    JsonElement listed = binding.get("subjects");
    if (listed == null) {
      return NOBODY;
    }
    if (!(listed instanceof JsonArray subjects)) {
      return EVERYBODY;
    }
    Subjects all = NOBODY;
    for (JsonElement subject : subjects) {
      all = all.and(subject instanceof JsonObject object ? one(object) : EVERYBODY);
    }
    return all;
  }

  private static Subjects one(JsonObject subject) {
    String name = text(subject, "name");
    return switch (text(subject, "kind")) {
      case "User" -> new Named(Set.of(name), Set.of());
      case "Group" -> new Named(Set.of(), Set.of(name));
      case "ServiceAccount" ->
          new Named(
              Set.of("system:serviceaccount:" + text(subject, "namespace") + ":" + name), Set.of());
      default -> EVERYBODY;
    };
  }

  private static String text(JsonObject object, String key) {
    return object.get(key) instanceof JsonPrimitive value ? value.getAsString() : "";
  }
}
