package io.watchgate.sandbox;

import io.watchgate.cache.TypeDefinition;
import io.watchgate.http.ServedResource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Registry of the types that are served. Read by any thread, changed with the store's lock held.
 */
final class SandboxTypes {
  private static final String DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";

  private volatile List<StoredType> all;

  SandboxTypes(List<StoredType> builtIn) {
    this.all = List.copyOf(builtIn);
  }

  /** A type, and the version of a request. */
  record RequestedType(StoredType type, StoredVersion version) {}

  List<StoredType> all() {
    return all;
  }

  /**
   * Returns all resources in the order of discovery: core group, built-in types, then custom types
   * in the order of their definition.
   */
  List<ServedResource> resources() {
    return all.stream()
        .flatMap(type -> type.versions().stream().map(StoredVersion::served))
        .sorted(Comparator.comparing(one -> !one.definition().type().group().isEmpty()))
        .toList();
  }

  StoredType namespaces() {
    return builtIn("namespaces");
  }

  boolean isDefinitions(StoredType type) {
    return type == builtIn(DEFINITIONS);
  }

  StoredType definitions() {
    return builtIn(DEFINITIONS);
  }

  private StoredType builtIn(String groupResource) {
    return findByName(groupResource).orElseThrow();
  }

  Optional<RequestedType> find(String group, String version, String resource) {
    for (StoredType type : all) {
      for (StoredVersion one : type.versions()) {
        if (one.type().group().equals(group)
            && one.type().version().equals(version)
            && one.type().resource().equals(resource)) {
          return Optional.of(new RequestedType(type, one));
        }
      }
    }
    return Optional.empty();
  }

  Optional<StoredVersion> find(TypeDefinition definition) {
    return all.stream()
        .flatMap(type -> type.versions().stream())
        .filter(version -> version.definition().equals(definition))
        .findFirst();
  }

  /** Returns the type of a name such as {@code pods} or {@code deployments.apps}. */
  Optional<StoredType> findByName(String groupResource) {
    return all.stream()
        .filter(
            type ->
                type.versions().stream()
                    .anyMatch(version -> version.type().groupResource().equals(groupResource)))
        .findFirst();
  }

  /** Returns whether the type is still served under the same definition. */
  boolean isServed(StoredType type) {
    return all.contains(type); // by identity
  }

  void add(StoredType type) {
    List<StoredType> more = new ArrayList<>(all);
    more.add(type);
    all = List.copyOf(more);
  }

  void replace(StoredType old, StoredType now) {
    all = all.stream().map(type -> type == old ? now : type).toList();
  }

  void remove(StoredType type) {
    all = all.stream().filter(other -> other != type).toList();
  }
}
