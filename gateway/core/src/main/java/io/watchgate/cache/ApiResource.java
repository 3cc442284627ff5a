package io.watchgate.cache;

/**
 * Resource type as the apiserver serves it: {@code /apis/GROUP/VERSION/RESOURCE}.
 *
 * @param group API group, empty for the core group
 * @param version version within the group, {@code v1}
 * @param resource plural name, {@code pods}
 * @param kind kind of its objects, {@code Pod}
 * @param scope whether its objects have a namespace
 */
public record ApiResource(String group, String version, String resource, String kind, Scope scope) {

  /** Scope of the objects of a type. */
  public enum Scope {
    NAMESPACED,
    CLUSTER
  }

  /**
   * Returns the identity of the type: group, version and resource. Kind and scope are details that
   * two apiservers may report differently in the middle of an upgrade.
   */
  public TypeReference reference() {
    return new TypeReference(group, version, resource);
  }

  public boolean isNamespaced() {
    return scope == Scope.NAMESPACED;
  }

  /**
   * Returns whether an apiserver has the type in its watch cache. This is true of all types but
   * events: an apiserver reads events from its storage, and their watches have no bookmarks.
   */
  public boolean isWatchCached() {
    return !resource.equals("events") || !(group.isEmpty() || group.equals("events.k8s.io"));
  }

  /** Returns the {@code apiVersion} of objects of this type: {@code v1}, {@code apps/v1}. */
  public String apiVersion() {
    return group.isEmpty() ? version : group + "/" + version;
  }

  /** Returns the name that users know, {@code pods} or {@code deployments.apps}. */
  public String groupResource() {
    return group.isEmpty() ? resource : resource + "." + group;
  }

  @Override
  public String toString() {
    return groupResource() + "/" + version;
  }
}
