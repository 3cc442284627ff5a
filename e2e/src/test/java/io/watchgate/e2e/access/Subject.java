package io.watchgate.e2e.access;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.kube.Json;

/** Subject of a grant. {@code namespace} is empty except for a service account. */
record Subject(String kind, String namespace, String name) {
  static Subject user(String name) {
    return new Subject("User", "", name);
  }

  static Subject group(String name) {
    return new Subject("Group", "", name);
  }

  static Subject account(String namespace, String name) {
    return new Subject("ServiceAccount", namespace, name);
  }

  ObjectNode json() {
    ObjectNode json = Json.object();
    json.put("kind", kind).put("name", name);
    if (namespace.isEmpty()) {
      json.put("apiGroup", "rbac.authorization.k8s.io");
    } else {
      json.put("namespace", namespace);
    }
    return json;
  }
}
