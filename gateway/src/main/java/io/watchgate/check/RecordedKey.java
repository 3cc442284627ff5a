package io.watchgate.check;

/**
 * What an object is called.
 *
 * @param namespace empty: cluster-scoped
 */
public record RecordedKey(String namespace, String name) {
  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
