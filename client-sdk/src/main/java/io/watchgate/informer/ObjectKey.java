package io.watchgate.informer;

import java.util.Comparator;

/**
 * What an object is called: {@code namespace/name}, or the name alone where its type has no
 * namespaces. Immutable; ordered by namespace, then name.
 *
 * @param namespace empty where the type has none
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
  private static final Comparator<ObjectKey> ORDER =
      Comparator.comparing(ObjectKey::namespace).thenComparing(ObjectKey::name);

  @Override
  public int compareTo(ObjectKey other) {
    return ORDER.compare(this, other);
  }

  /** As people write it: {@code namespace/name}, or the name alone. */
  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
