package io.watchgate.informer;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * What objects can be looked up by, beside their key.
 *
 * @param name that it is asked for by
 * @param values under which an object is found, any number of them; must be the same whenever it is
 *     asked for the same object, quick, and not throw: an object for which it throws counts as one
 *     that cannot be decoded
 */
public record Index<T>(
    String name, Function<? super Stored<T>, ? extends Collection<String>> values) {
  /** The index by namespace, which every informer has. */
  public static final String NAMESPACE = "namespace";

  static <T> Index<T> byNamespace() {
    return new Index<>(NAMESPACE, object -> List.of(object.key().namespace()));
  }
}
