package io.watchgate.sandbox.churn;

import io.watchgate.http.ApiPath;

/** Types that the actors read and write. */
enum SimulatedKind {
  NAMESPACES("", "v1", "namespaces"),
  NODES("", "v1", "nodes"),
  PODS("", "v1", "pods"),
  SERVICES("", "v1", "services"),
  CONFIG_MAPS("", "v1", "configmaps"),
  EVENTS("", "v1", "events"),
  DEPLOYMENTS("apps", "v1", "deployments"),
  REPLICA_SETS("apps", "v1", "replicasets"),
  ENDPOINT_SLICES("discovery.k8s.io", "v1", "endpointslices"),
  LEASES("coordination.k8s.io", "v1", "leases");

  private final String group;
  private final String version;
  private final String resource;

  SimulatedKind(String group, String version, String resource) {
    this.group = group;
    this.version = version;
    this.resource = resource;
  }

  boolean matches(io.watchgate.cache.ApiResource type) {
    return type.group().equals(group) && type.resource().equals(resource);
  }

  ApiPath collection(String namespace) {
    return path(new ObjectName(namespace, ""), "");
  }

  ApiPath path(ObjectName key, String subresource) {
    return new ApiPath(
        group, version, resource, key.namespace(), key.name(), subresource, ApiPath.Form.PLAIN);
  }
}
