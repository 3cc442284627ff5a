package io.watchgate.http;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.ApiResource.Scope;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.Change;
import io.watchgate.cache.LocalCache;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.ServedResource.Subresource;
import io.watchgate.json.JsonException;
import io.watchgate.json.KubeObject;
import io.watchgate.select.SelectableFields;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Catalog of a few types whose objects the test writes. All types share one counter of versions, as
 * in etcd.
 */
final class TestCatalog implements ResourceCatalog {
  static final List<String> ALL_VERBS =
      List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

  static final TypeDefinition PODS = builtIn("", "v1", "pods", "Pod", Scope.NAMESPACED, "po");
  static final TypeDefinition CONFIG_MAPS =
      builtIn("", "v1", "configmaps", "ConfigMap", Scope.NAMESPACED, "cm");
  static final TypeDefinition NODES = builtIn("", "v1", "nodes", "Node", Scope.CLUSTER, "no");
  static final TypeDefinition DEPLOYMENTS =
      builtIn("apps", "v1", "deployments", "Deployment", Scope.NAMESPACED, "deploy");
  static final TypeDefinition WIDGETS =
      new TypeDefinition(
          new ApiResource("x.io", "v1", "widgets", "Widget", Scope.NAMESPACED),
          "widget",
          List.of(),
          ALL_VERBS,
          "u-crd",
          List.of("spec.color"));

  private static final long FIRST_VERSION = 100;

  private final Map<TypeDefinition, LocalCache> caches = new LinkedHashMap<>();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger refreshed = new AtomicInteger();
  private long version = FIRST_VERSION;

  TestCatalog() {
    this(CacheSettings.forHeap(1L << 30));
  }

  TestCatalog(CacheSettings settings) {
    for (TypeDefinition definition : List.of(PODS, CONFIG_MAPS, NODES, DEPLOYMENTS, WIDGETS)) {
      caches.put(
          definition,
          new LocalCache(
              definition,
              SelectableFields.of(definition).paths(),
              settings,
              TimeSource.SYSTEM,
              new ResourceVersion(Long.toString(version))));
    }
  }

  private static TypeDefinition builtIn(
      String group, String version, String resource, String kind, Scope scope, String shortName) {
    return new TypeDefinition(
        new ApiResource(group, version, resource, kind, scope),
        resource.substring(0, resource.length() - 1),
        List.of(shortName),
        ALL_VERBS,
        "",
        List.of());
  }

  @Override
  public List<ServedResource> resources() {
    return caches.keySet().stream().map(TestCatalog::served).toList();
  }

  private static ServedResource served(TypeDefinition definition) {
    Subresource status =
        new Subresource(
            "status",
            definition.type().group(),
            definition.type().version(),
            definition.type().kind(),
            List.of("get", "patch", "update"));
    Subresource binding = new Subresource("binding", "", "v1", "Binding", List.of("create"));
    Subresource scale =
        new Subresource("scale", "autoscaling", "v1", "Scale", List.of("patch", "update"));
    return switch (definition.type().resource()) {
      case "pods" -> new ServedResource(definition, List.of("all"), List.of(binding, status));
      case "deployments" -> new ServedResource(definition, List.of("all"), List.of(scale));
      default -> new ServedResource(definition, List.of(), List.of());
    };
  }

  @Override
  public Optional<Source> open(TypeDefinition type) {
    LocalCache cache = caches.get(type);
    if (cache == null) {
      return Optional.empty();
    }
    open.incrementAndGet();
    return Optional.of(new TestSource(cache.cache()));
  }

  private final class TestSource implements Source {
    private final WatchCache cache;

    TestSource(WatchCache cache) {
      this.cache = cache;
    }

    @Override
    public WatchCache cache() {
      return cache;
    }

    @Override
    public void refresh() {
      refreshed.incrementAndGet();
    }

    @Override
    public void close() {
      open.decrementAndGet();
    }
  }

  /** Returns the number of sources that are not closed. */
  int openSources() {
    return open.get();
  }

  int refreshed() {
    return refreshed.get();
  }

  WatchCache cache(TypeDefinition type) {
    return local(type).cache();
  }

  private LocalCache local(TypeDefinition type) {
    return Optional.ofNullable(caches.get(type)).orElseThrow();
  }

  // ---- writes, by the test's one thread

  /** Creates or replaces an object. */
  TestObject put(TypeDefinition type, TestObject object) {
    version++;
    TestObject written = object.at(version);
    try {
      KubeObject view = local(type).read(written.json(type).getBytes(StandardCharsets.UTF_8));
      local(type).apply(version(), new Change(held(type, view), view));
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
    return written;
  }

  TestObject putConfigMap(String namespace, String name) {
    return put(CONFIG_MAPS, TestObject.of(namespace, name));
  }

  /** Returns the version of the delete. */
  String delete(TypeDefinition type, TestObject object) {
    version++;
    try {
      KubeObject view = local(type).read(object.json(type).getBytes(StandardCharsets.UTF_8));
      local(type).apply(version(), new Change(held(type, view), null));
    } catch (JsonException e) {
      throw new AssertionError(e);
    }
    return Long.toString(version);
  }

  private @Nullable KubeObject held(TypeDefinition type, KubeObject object) {
    Revision head = Optional.ofNullable(cache(type).head()).orElseThrow();
    return head.state().get(object.key());
  }

  /**
   * Advances the version: another type was written, and this type only learns that it did not
   * change.
   */
  String progress(TypeDefinition type) {
    version++;
    local(type).progress(version());
    return Long.toString(version);
  }

  /** Removes the type: it is no longer served. */
  void remove(TypeDefinition type) {
    Optional.ofNullable(caches.remove(type)).orElseThrow().end();
  }

  private ResourceVersion version() {
    return new ResourceVersion(Long.toString(version));
  }

  /** Returns the versions of all objects so far: those of the test are numbered from here. */
  static List<String> versions(int count) {
    List<String> versions = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      versions.add(Long.toString(FIRST_VERSION + i));
    }
    return versions;
  }
}
