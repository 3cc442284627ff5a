package io.watchgate.auth;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.watchgate.cache.Change;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateCursor;
import io.watchgate.cache.StateDiff;
import io.watchgate.cache.WatchCache;
import io.watchgate.json.KubeObject;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finder of the subjects that a change of roles or bindings affects. Only their grants are
 * re-checked, so a changed binding costs no reviews of callers that it does not name. Thread-safe.
 */
final class RoleChanges {
  static final String ROLES = "roles";
  static final String CLUSTER_ROLES = "clusterroles";
  static final String BINDINGS = "rolebindings";
  static final String CLUSTER_BINDINGS = "clusterrolebindings";

  private final Map<String, WatchCache> caches = new ConcurrentHashMap<>();

  /** Sets the cache in which bindings of that type are looked up. */
  void setCache(String type, WatchCache cache) {
    caches.put(type, cache);
  }

  /** Returns the subjects that are affected by the difference between two revisions of a type. */
  AffectedSubjects affectedSubjects(String type, Revision from, Revision to) {
    StateDiff diff = new StateDiff(from.state(), to.state(), KeyRange.ALL);
    AffectedSubjects concerned = AffectedSubjects.NONE;
    for (Change change = diff.next(); change != null; change = diff.next()) {
      boolean isRole = type.equals(ROLES) || type.equals(CLUSTER_ROLES); // both have one name
      AffectedSubjects before =
          isRole && change.now() != null ? AffectedSubjects.NONE : of(type, change.old());
      concerned = concerned.plus(before).plus(of(type, change.now()));
    }
    return concerned;
  }

  private AffectedSubjects of(String type, @Nullable KubeObject object) {
    if (object == null) {
      return AffectedSubjects.NONE;
    }
    return switch (type) {
      case BINDINGS, CLUSTER_BINDINGS ->
          read(object).map(AffectedSubjects::of).orElse(AffectedSubjects.ALL);
      case ROLES ->
          subjectsBoundTo(
              BINDINGS, KeyRange.ofNamespace(object.namespace()), "Role", object.name());
      case CLUSTER_ROLES ->
          subjectsBoundTo(BINDINGS, KeyRange.ALL, "ClusterRole", object.name())
              .plus(subjectsBoundTo(CLUSTER_BINDINGS, KeyRange.ALL, "ClusterRole", object.name()));
      default -> AffectedSubjects.ALL;
    };
  }

  /** Returns the subjects of all bindings that name a role. */
  private AffectedSubjects subjectsBoundTo(String type, KeyRange range, String kind, String name) {
    WatchCache cache = caches.get(type);
    Revision head = cache == null ? null : cache.head();
    if (head == null) {
      return AffectedSubjects.ALL;
    }
    Set<String> users = new HashSet<>();
    Set<String> groups = new HashSet<>();
    StateCursor cursor = head.state().cursor(range);
    for (KubeObject object = cursor.peek(); object != null; object = cursor.peek()) {
      Optional<JsonObject> binding = read(object);
      if (binding.isEmpty()) {
        return AffectedSubjects.ALL;
      }
      if (refersTo(binding.get(), kind, name)) {
        switch (AffectedSubjects.of(binding.get())) {
          case AffectedSubjects.All all -> {
            return all;
          }
          case AffectedSubjects.Named(Set<String> moreUsers, Set<String> moreGroups) -> {
            users.addAll(moreUsers);
            groups.addAll(moreGroups);
          }
        }
      }
      cursor.advance();
    }
    return new AffectedSubjects.Named(users, groups);
  }

  private static boolean refersTo(JsonObject binding, String kind, String name) {
    return binding.get("roleRef") instanceof JsonObject role
        && List.of(text(role, "kind"), text(role, "name")).equals(List.of(kind, name));
  }

  private static String text(JsonObject object, String key) {
    return object.get(key) instanceof JsonPrimitive value ? value.getAsString() : "";
  }

  private static Optional<JsonObject> read(KubeObject object) {
    try {
      JsonElement parsed =
          JsonParser.parseString(new String(object.bytes(), StandardCharsets.UTF_8));
      return parsed instanceof JsonObject json ? Optional.of(json) : Optional.empty();
    } catch (JsonParseException e) {
      return Optional.empty();
    }
  }
}
