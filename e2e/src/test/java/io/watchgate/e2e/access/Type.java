package io.watchgate.e2e.access;

import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import java.util.List;
import java.util.stream.Stream;

/**
 * Resource type of a request.
 *
 * @param names names of the type in requests: the plural first
 */
public record Type(Resource resource, Scope scope, List<String> names) {
  public enum Scope {
    NAMESPACED,
    CLUSTER
  }

  static final Type PODS = of("", "v1", "pods", "Pod", Scope.NAMESPACED, "po", "pod");
  static final Type NODES = of("", "v1", "nodes", "Node", Scope.CLUSTER, "no");
  public static final Type CONFIGMAPS =
      of("", "v1", "configmaps", "ConfigMap", Scope.NAMESPACED, "cm", "configmap");
  public static final Type SECRETS = of("", "v1", "secrets", "Secret", Scope.NAMESPACED, "secret");
  static final Type NAMESPACES = of("", "v1", "namespaces", "Namespace", Scope.CLUSTER, "ns");
  static final Type SERVICES = of("", "v1", "services", "Service", Scope.NAMESPACED, "svc");
  static final Type WIDGETS =
      new Type(Widgets.V1, Scope.NAMESPACED, List.of("widgets", "Widget", "widget", "wg"));

  static final List<Type> ALL =
      List.of(
          PODS,
          NODES,
          CONFIGMAPS,
          SECRETS,
          NAMESPACES,
          SERVICES,
          WIDGETS,
          of("apps", "v1", "deployments", "Deployment", Scope.NAMESPACED, "deploy"),
          of("apps", "v1", "statefulsets", "StatefulSet", Scope.NAMESPACED, "sts"),
          of("coordination.k8s.io", "v1", "leases", "Lease", Scope.NAMESPACED, "lease"),
          of("storage.k8s.io", "v1", "storageclasses", "StorageClass", Scope.CLUSTER, "sc"));

  private static Type of(
      String group, String version, String plural, String kind, Scope scope, String... others) {
    return new Type(
        new Resource(group, version, plural, kind),
        scope,
        Stream.concat(Stream.of(plural, kind), Stream.of(others)).toList());
  }

  /** {@code deployments.apps}, {@code pods}. */
  String qualified() {
    return resource.group().isEmpty()
        ? resource.plural()
        : resource.plural() + "." + resource.group();
  }

  /** Returns the type with its version, as an option of a command: {@code apps/v1/deployments}. */
  String argument() {
    return resource.apiVersion() + "/" + resource.plural();
  }

  boolean isNamespaced() {
    return scope == Scope.NAMESPACED;
  }
}
