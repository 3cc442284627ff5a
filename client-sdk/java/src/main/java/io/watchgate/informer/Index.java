package io.watchgate.informer;

import java.util.Collection;
import java.util.function.Function;

/**
 * Secondary index of an informer's objects.
 *
 * @param name name for lookups
 * @param values function that returns the values of an object, any number of them; must be quick.
 *     Called once for each state of an object, before any handler; the values are stored with the
 *     object. If it throws or returns null, the problem is reported ({@link
 *     InformerProblem.IndexFailed}), and only this index has no value for that state
 */
public record Index<T>(
    String name, Function<? super StoredObject<T>, ? extends Collection<String>> values) {
  /** Name of the index by namespace, which every informer has. */
  public static final String NAMESPACE = "namespace";
}
