package io.watchgate.e2e.sandbox;

import io.watchgate.e2e.kube.Resource;

/** Minimal object of each type of the sandbox. */
enum Sample {
  POD(
      Resource.PODS,
      """
      {"spec":{"containers":[{"name":"main","image":"example/main:1",
        "ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"}]}],
       "volumes":[{"name":"data","emptyDir":{}}]}}\
      """),
  CONFIG_MAP(Resource.CONFIGMAPS, "{\"data\":{\"a\":\"1\",\"b\":\"<&>\"}}"),
  SECRET(new Resource("", "v1", "secrets", "Secret"), "{\"data\":{\"a\":\"MQ==\"}}"),
  SERVICE(
      new Resource("", "v1", "services", "Service"),
      "{\"spec\":{\"selector\":{\"app\":\"web\"},\"ports\":[{\"port\":80}]}}"),
  EVENT(
      new Resource("", "v1", "events", "Event"),
      """
      {"involvedObject":{"kind":"Pod","namespace":"NAMESPACE","name":"p"},"reason":"Started",
       "message":"it started","type":"Normal","firstTimestamp":"2026-01-01T00:00:00Z",
       "lastTimestamp":"2026-01-01T00:00:00Z","count":1,"source":{"component":"test"}}\
      """),
  DEPLOYMENT(
      new Resource("apps", "v1", "deployments", "Deployment"),
      """
      {"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{
        "metadata":{"labels":{"app":"web"}},
        "spec":{"containers":[{"name":"main","image":"example/main"}]}}}}\
      """),
  REPLICA_SET(
      new Resource("apps", "v1", "replicasets", "ReplicaSet"),
      """
      {"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":{
        "metadata":{"labels":{"app":"web"}},
        "spec":{"containers":[{"name":"main","image":"example/main:latest"}]}}}}\
      """),
  ENDPOINT_SLICE(
      new Resource("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice"),
      """
      {"addressType":"IPv4","endpoints":[{"addresses":["10.1.2.3"],"conditions":{"ready":true}}],
       "ports":[{"name":"http","port":80}]}\
      """),
  LEASE(
      new Resource("coordination.k8s.io", "v1", "leases", "Lease"),
      """
      {"spec":{"holderIdentity":"me","leaseDurationSeconds":40,
       "renewTime":"2026-01-01T00:00:00.000000Z"}}\
      """),
  NODE(
      new Resource("", "v1", "nodes", "Node"),
      "{\"spec\":{\"podCIDR\":\"10.9.0.0/24\"},\"status\":{\"capacity\":{\"cpu\":\"4\"}}}"),
  NAMESPACE(Resource.NAMESPACES, "{}");

  @SuppressWarnings("ImmutableEnumChecker") // a record of strings
  private final Resource type;

  private final String content;

  Sample(Resource type, String content) {
    this.type = type;
    this.content = content;
  }

  Resource type() {
    return type;
  }

  boolean namespaced() {
    return this != NODE && this != NAMESPACE;
  }

  /**
   * Returns a selector of the test's own objects, because an apiserver writes events itself. May be
   * empty.
   */
  String own() {
    return this == EVENT ? "reason=Started" : "";
  }

  /** Returns the path of all of them. */
  String collection(String namespace) {
    return type.path(namespaced() ? namespace : "");
  }

  String path(String namespace, String name) {
    return collection(namespace) + "/" + name;
  }

  /** Returns the object to create. {@code labels} is a JSON object. */
  String body(String namespace, String name, String labels) {
    String where = namespaced() ? "\"namespace\":\"" + namespace + "\"," : "";
    return """
    {"kind":"%s","apiVersion":"%s","metadata":{%s"name":"%s","labels":%s}%s\
    """
        .formatted(
            type.kind(),
            type.apiVersion(),
            where,
            name,
            labels,
            content.equals("{}")
                ? "}"
                : "," + content.strip().substring(1).replace("NAMESPACE", namespace));
  }
}
