package io.watchgate.check.run;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.Map;

/** A type that a run writes and watches. */
enum WatchedType {
  CONFIGMAPS("", "configmaps", "ConfigMap"),
  PODS("", "pods", "Pod"),
  /** What a cluster writes most: who holds one renews it every few seconds. */
  LEASES("coordination.k8s.io", "leases", "Lease"),
  /** Kubernetes takes nearly every name for one of these, and writes its JSON with escapes. */
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

  /** The name of an object, made of one that each type takes. */
  String spell(String plain) {
    return this == ROLES ? plain + ODD : plain;
  }

  String apiVersion() {
    return group.isEmpty() ? "v1" : group + "/v1";
  }

  String plural() {
    return plural;
  }

  /** As it is named in a role and by kubectl: {@code leases.coordination.k8s.io}. */
  String named() {
    return group.isEmpty() ? plural : plural + "." + group;
  }

  String kind() {
    return kind;
  }

  /** The path of all of them. */
  String everywhere() {
    return root() + plural;
  }

  String in(String namespace) {
    return root() + "namespaces/" + namespace + "/" + plural;
  }

  private String root() {
    return (group.isEmpty() ? "api/" : "apis/") + apiVersion() + "/";
  }

  /** What field selectors see of an object, apart from its name and namespace. */
  Map<String, String> fields(JsonObject object) {
    return switch (this) {
      case CONFIGMAPS, LEASES, ROLES -> Map.of();
      case PODS ->
          Map.of(
              "spec.nodeName", text(object, "spec", "nodeName"),
              "status.phase", text(object, "status", "phase"));
    };
  }

  /** What is not there is empty to a field selector. */
  private static String text(JsonObject object, String part, String member) {
    return object.get(part) instanceof JsonObject found ? ObjectStates.text(found, member) : "";
  }
}
