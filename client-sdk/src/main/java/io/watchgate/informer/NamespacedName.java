package io.watchgate.informer;

import java.util.Comparator;

/**
 * What an object is called: {@code namespace/name}, or the name alone where its type has no
 * namespaces. Immutable; ordered by namespace, then name.
 *
 * @param namespace empty where the type has none
 */
public record NamespacedName(String namespace, String name) implements Comparable<NamespacedName> {
  private static final Comparator<NamespacedName> ORDER =
      Comparator.comparing(NamespacedName::namespace).thenComparing(NamespacedName::name);

  @Override
  public int compareTo(NamespacedName other) {
    return ORDER.compare(this, other);
  }

  /** As people write it: {@code namespace/name}, or the name alone. */
  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
