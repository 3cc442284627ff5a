package io.watchgate.cache;

/**
 * A type of resource as the apiserver serves it: {@code /apis/GROUP/VERSION/RESOURCE}.
 *
 * @param group the API group, empty for the core group
 * @param version the version within the group, {@code v1}
 * @param resource the plural name, {@code pods}
 * @param kind the kind of its objects, {@code Pod}
 * @param scope whether its objects live in namespaces
 */
public record ApiResource(String group, String version, String resource, String kind, Scope scope) {

  /** Where objects of a type live. */
  public enum Scope {
    NAMESPACED,
    CLUSTER
  }

  /**
   * What makes a type: group, version and resource. The rest is a detail, which two apiservers in
   * the middle of an upgrade may tell in two ways.
   */
  public TypeReference name() {
    return new TypeReference(group, version, resource);
  }

  public boolean namespaced() {
    return scope == Scope.NAMESPACED;
  }

  /**
   * Whether an apiserver holds the type in its watch cache, as it does all but events: those are
   * read from its storage, and their watches have no bookmarks.
   */
  public boolean watchCached() {
    return !resource.equals("events") || !(group.isEmpty() || group.equals("events.k8s.io"));
  }

  /** What objects of this type carry as {@code apiVersion}: {@code v1}, {@code apps/v1}. */
  public String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }

  /** The name by which people know a type, {@code pods} or {@code deployments.apps}. */
  public String groupResource() {
    return group.isEmpty() ? resource : resource + "." + group;
  }

  @Override
  public String toString() {
    return groupResource() + "/" + version;
  }
}
