package io.watchgate.sandbox;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.ApiResource.Scope;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.http.ServedResource;
import io.watchgate.http.ServedResource.Subresource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Built-in types of the sandbox, in the order of discovery. */
final class BuiltInTypes {
  private static final List<String> VERBS =
      List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
  private static final List<String> PART_VERBS = List.of("get", "patch", "update");
  private static final List<String> ALL = List.of("all");
  private static final List<String> NONE = List.of();

  private final CacheFactory caches;
  private final ResourceVersion version;
  private final List<StoredType> types = new ArrayList<>();

  private BuiltInTypes(CacheFactory caches, ResourceVersion version) {
    this.caches = caches;
    this.version = version;
  }

  /** Returns all built-in types, without objects. */
  static List<StoredType> create(CacheFactory caches, ResourceVersion version) {
    BuiltInTypes builtIns = new BuiltInTypes(caches, version);
    builtIns.core();
    builtIns.groups();
    return List.copyOf(builtIns.types);
  }

  private void core() {
    add(
        new DataStrategy(DataStrategy.Kind.CONFIG_MAP),
        served(core("configmaps", "ConfigMap", Scope.NAMESPACED), List.of("cm"), NONE));
    types.add(
        new StoredType(
            new EventStrategy(),
            List.of(
                caches.empty(
                    served(core("events", "Event", Scope.NAMESPACED), List.of("ev"), NONE),
                    VersionConverter.SAME,
                    version),
                caches.empty(
                    served(
                        type("events.k8s.io", "events", "Event", Scope.NAMESPACED),
                        List.of("ev"),
                        NONE),
                    EventConverter.NEW,
                    version))));
    ApiResource namespaces = core("namespaces", "Namespace", Scope.CLUSTER);
    add(
        new NamespaceStrategy(),
        served(
            namespaces,
            List.of("ns"),
            NONE,
            own(namespaces, "finalize", List.of("update")),
            own(namespaces, "status", PART_VERBS)));
    ApiResource nodes = core("nodes", "Node", Scope.CLUSTER);
    add(new NodeStrategy(), served(nodes, List.of("no"), NONE, own(nodes, "status", PART_VERBS)));
    ApiResource pods = core("pods", "Pod", Scope.NAMESPACED);
    add(
        new PodStrategy(),
        served(
            pods,
            List.of("po"),
            ALL,
            new Subresource("binding", "", "v1", "Binding", List.of("create")),
            new Subresource("eviction", "policy", "v1", "Eviction", List.of("create")),
            own(pods, "status", PART_VERBS)));
    add(
        new DataStrategy(DataStrategy.Kind.SECRET),
        served(core("secrets", "Secret", Scope.NAMESPACED), NONE, NONE));
    ApiResource services = core("services", "Service", Scope.NAMESPACED);
    add(
        new ServiceStrategy(),
        served(services, List.of("svc"), ALL, own(services, "status", PART_VERBS)));
  }

  private void groups() {
    ApiResource deployments = type("apps", "deployments", "Deployment", Scope.NAMESPACED);
    add(
        new WorkloadStrategy(WorkloadStrategy.Kind.DEPLOYMENT),
        served(
            deployments, List.of("deploy"), ALL, scale(), own(deployments, "status", PART_VERBS)));
    ApiResource replicaSets = type("apps", "replicasets", "ReplicaSet", Scope.NAMESPACED);
    add(
        new WorkloadStrategy(WorkloadStrategy.Kind.REPLICA_SET),
        served(replicaSets, List.of("rs"), ALL, scale(), own(replicaSets, "status", PART_VERBS)));
    add(
        new TypeStrategy(NameRule.SUBDOMAIN, Trait.CREATE_ON_UPDATE, Trait.VERSION_REQUIRED),
        served(type("coordination.k8s.io", "leases", "Lease", Scope.NAMESPACED), NONE, NONE));
    add(
        new EndpointSliceStrategy(),
        served(
            type("discovery.k8s.io", "endpointslices", "EndpointSlice", Scope.NAMESPACED),
            NONE,
            NONE));
    ApiResource definitions =
        type(
            "apiextensions.k8s.io",
            "customresourcedefinitions",
            "CustomResourceDefinition",
            Scope.CLUSTER);
    add(
        new CrdStrategy(),
        served(
            definitions,
            List.of("crd", "crds"),
            List.of("api-extensions"),
            own(definitions, "status", PART_VERBS)));
  }

  private void add(TypeStrategy rules, ServedResource served) {
    types.add(new StoredType(rules, List.of(caches.empty(served, VersionConverter.SAME, version))));
  }

  private static ApiResource core(String resource, String kind, Scope scope) {
    return type("", resource, kind, scope);
  }

  private static ApiResource type(String group, String resource, String kind, Scope scope) {
    return new ApiResource(group, "v1", resource, kind, scope);
  }

  private static ServedResource served(
      ApiResource type, List<String> shortNames, List<String> categories, Subresource... parts) {
    List<String> verbs =
        type.resource().equals("namespaces")
            ? VERBS.stream().filter(verb -> !verb.equals("deletecollection")).toList()
            : VERBS;
    String singular = type.kind().toLowerCase(Locale.ROOT);
    return new ServedResource(
        new TypeDefinition(type, singular, shortNames, verbs, "", List.of()),
        categories,
        List.of(parts));
  }

  private static Subresource own(ApiResource type, String name, List<String> verbs) {
    return new Subresource(name, type.group(), type.version(), type.kind(), verbs);
  }

  /**
   * Returns the subresource scale, which can only be written; to read it, clients read the object
   * itself.
   */
  private static Subresource scale() {
    return new Subresource("scale", "autoscaling", "v1", "Scale", List.of("patch", "update"));
  }
}
