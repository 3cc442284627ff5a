package io.watchgate.e2e.kube;

/** Resource type as named in the apiserver's paths; {@code group} is empty for the core group. */
public record Resource(String group, String version, String plural, String kind) {
  public static final Resource NAMESPACES = new Resource("", "v1", "namespaces", "Namespace");
  public static final Resource PODS = new Resource("", "v1", "pods", "Pod");
  public static final Resource CONFIGMAPS = new Resource("", "v1", "configmaps", "ConfigMap");
  public static final Resource DEPLOYMENTS =
      new Resource("apps", "v1", "deployments", "Deployment");
  public static final Resource DEFINITIONS =
      new Resource(
          "apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition");

  public String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }

  /**
   * Returns the path of all objects in {@code namespace}; an empty namespace means all namespaces,
   * or a cluster-scoped type.
   */
  public String path(String namespace) {
    String root = group.isEmpty() ? "/api/" : "/apis/";
    String scope = namespace.isEmpty() ? "/" : "/namespaces/" + namespace + "/";
    return root + apiVersion() + scope + plural;
  }
}
