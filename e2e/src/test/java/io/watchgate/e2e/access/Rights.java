package io.watchgate.e2e.access;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.faults.Subscriber;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Roles and bindings, written as admin. The apiserver's own authorizer receives them by a watch, so
 * a change takes effect a moment later.
 */
final class Rights {
  private static final String GROUP = "rbac.authorization.k8s.io";
  static final Resource ROLES = new Resource(GROUP, "v1", "roles", "Role");
  static final Resource CLUSTER_ROLES = new Resource(GROUP, "v1", "clusterroles", "ClusterRole");
  static final Resource BINDINGS = new Resource(GROUP, "v1", "rolebindings", "RoleBinding");
  static final Resource CLUSTER_BINDINGS =
      new Resource(GROUP, "v1", "clusterrolebindings", "ClusterRoleBinding");

  private static final AtomicInteger COUNT = new AtomicInteger();

  private final Cluster admin;

  Rights(Cluster admin) {
    this.admin = admin;
  }

  /** Role and binding of a grant; an empty namespace is the entire cluster. */
  record Grant(String namespace, String name, Resource role, Resource binding) {}

  /** Grants by a Role and a RoleBinding. */
  Grant in(String namespace, Subject to, Rule... rules) {
    return write(new Grant(namespace, name(), ROLES, BINDINGS), to, List.of(rules));
  }

  /** Grants by a ClusterRole and a ClusterRoleBinding. */
  Grant everywhere(Subject to, Rule... rules) {
    return write(new Grant("", name(), CLUSTER_ROLES, CLUSTER_BINDINGS), to, List.of(rules));
  }

  /** Grants by a ClusterRole and a RoleBinding, which is limited to its namespace. */
  Grant wideRoleIn(String namespace, Subject to, Rule... rules) {
    return write(new Grant(namespace, name(), CLUSTER_ROLES, BINDINGS), to, List.of(rules));
  }

  /** Grants in a namespace, with a given name. */
  Grant named(String name, String namespace, Subject to, Rule... rules) {
    return write(new Grant(namespace, name, CLUSTER_ROLES, BINDINGS), to, List.of(rules));
  }

  /** Deletes the binding; the role remains. */
  void revoke(Grant grant) {
    admin.delete(grant.binding, grant.namespace, grant.name);
  }

  /** Replaces the subjects of the binding; the role remains. */
  void changeSubjects(Grant grant, Subject... to) {
    ObjectNode patch = Json.object();
    ArrayNode array = patch.putArray("subjects");
    for (Subject subject : to) {
      array.add(subject.json());
    }
    admin.patch(grant.binding, grant.namespace, grant.name, patch.toString());
  }

  /** Replaces the rules of the role; the binding remains. */
  void change(Grant grant, Rule... rules) {
    ObjectNode patch = Json.object();
    ArrayNode array = patch.putArray("rules");
    for (Rule rule : rules) {
      array.add(rule.json());
    }
    admin.patch(
        grant.role, grant.role.equals(ROLES) ? grant.namespace : "", grant.name, patch.toString());
  }

  /** Returns once the apiserver permits the user to list all objects of each type. */
  static void awaitAllowed(Cluster direct, List<Type> types) {
    for (Type type : types) {
      awaitAnswer(direct, type, "", 200);
    }
  }

  /**
   * Returns once the apiserver answers the user's list with this code.
   *
   * @param code 200, or 403 after a right was revoked
   */
  static void awaitAnswer(Cluster direct, Type type, String namespace, int code) {
    await()
        .atMost(Subscriber.LIMIT)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> direct.answerToList(type.resource(), namespace, Map.of()) == code);
  }

  /** Returns a unique name that is valid for any object. */
  private static String name() {
    return "access-" + COUNT.incrementAndGet();
  }

  private Grant write(Grant grant, Subject to, List<Rule> rules) {
    ObjectNode role = object(grant.role, grant.role.equals(ROLES) ? grant.namespace : "", grant);
    rules.forEach(rule -> role.withArray("/rules").add(rule.json()));
    admin.create(grant.role, role);
    ObjectNode binding = object(grant.binding, grant.namespace, grant);
    binding
        .withObject("/roleRef")
        .put("apiGroup", GROUP)
        .put("kind", grant.role.kind())
        .put("name", grant.name);
    binding.withArray("/subjects").add(to.json());
    admin.create(grant.binding, binding);
    return grant;
  }

  private static ObjectNode object(Resource type, String namespace, Grant grant) {
    ObjectNode object = Json.object();
    object.put("apiVersion", type.apiVersion()).put("kind", type.kind());
    ObjectNode metadata = object.withObject("/metadata").put("name", grant.name);
    if (!namespace.isEmpty()) {
      metadata.put("namespace", namespace);
    }
    return object;
  }
}
