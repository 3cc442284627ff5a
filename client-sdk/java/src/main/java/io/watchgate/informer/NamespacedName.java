package io.watchgate.informer;

import java.util.Comparator;

/**
 * Name of an object: {@code namespace/name}, or the name alone if its type has no namespaces.
 * Immutable; ordered by namespace, then name.
 *
 * @param namespace empty if the type has none
 */
public record NamespacedName(String namespace, String name) implements Comparable<NamespacedName> {
  private static final Comparator<NamespacedName> ORDER =
      Comparator.comparing(NamespacedName::namespace).thenComparing(NamespacedName::name);

  @Override
  public int compareTo(NamespacedName other) {
    return ORDER.compare(this, other);
  }

  /** Returns {@code namespace/name}, or the name alone. */
  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
