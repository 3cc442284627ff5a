package io.watchgate.check;

/**
 * Namespace and name of an object.
 *
 * @param namespace empty: cluster-scoped
 */
public record RecordedKey(String namespace, String name) {
  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
