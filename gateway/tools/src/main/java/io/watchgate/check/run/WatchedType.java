package io.watchgate.check.run;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;

/** A type that a run writes and watches. */
enum WatchedType {
  CONFIGMAPS("", "configmaps", "ConfigMap"),
  PODS("", "pods", "Pod"),
  /** Most frequently written in a cluster: each holder renews its lease every few seconds. */
  LEASES("coordination.k8s.io", "leases", "Lease"),
  /** Kubernetes accepts nearly any name for a role, and writes its JSON with escapes. */
  ROLES("rbac.authorization.k8s.io", "roles", "Role");

  private static final String ODD = " r&d <\u00e9> \"q\" \ud83d\ude00";

  private final String group;
  private final String plural;
  private final String kind;

  WatchedType(String group, String plural, String kind) {
    this.group = group;
    this.plural = plural;
    this.kind = kind;
  }

  static List<WatchedType> of(CheckPlan.Names names) {
    return switch (names) {
      case PLAIN -> List.of(CONFIGMAPS, PODS, LEASES);
      case ODD -> List.of(values());
    };
  }

  String group() {
    return group;
  }

  /** Returns the name of an object, made of a name that each type accepts. */
  String objectName(String plain) {
    return this == ROLES ? plain + ODD : plain;
  }

  String apiVersion() {
    return group.isEmpty() ? "v1" : group + "/v1";
  }

  String plural() {
    return plural;
  }

  /** Returns the name as in a role and in kubectl: {@code leases.coordination.k8s.io}. */
  String qualifiedName() {
    return group.isEmpty() ? plural : plural + "." + group;
  }

  String kind() {
    return kind;
  }

  /** Returns the path of the objects in all namespaces. */
  String path() {
    return root() + plural;
  }

  String pathIn(String namespace) {
    return root() + "namespaces/" + namespace + "/" + plural;
  }

  private String root() {
    return (group.isEmpty() ? "api/" : "apis/") + apiVersion() + "/";
  }

  /** Returns the selectable fields of an object, except its name and namespace. */
  Map<String, String> fields(JsonObject object) {
    return switch (this) {
      case CONFIGMAPS, LEASES, ROLES -> Map.of();
      case PODS ->
          Map.of(
              "spec.nodeName", text(object, "spec", "nodeName"),
              "status.phase", text(object, "status", "phase"));
    };
  }

  /** Returns a value, or an empty text if it is absent, as field selectors do. */
  private static String text(JsonObject object, String part, String member) {
    return object.get(part) instanceof JsonObject found ? ObjectStates.text(found, member) : "";
  }
}
