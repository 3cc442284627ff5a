package io.watchgate.informer;

import java.util.Collection;
import java.util.function.Function;

/**
 * Index of an informer's objects, beside their keys.
 *
 * @param name that it is asked for by
 * @param values under which an object is found, any number of them; quick. Called once for each
 *     state of an object, before any handler; the values are kept beside the object. If it throws,
 *     or gives null, this is reported ({@link InformerProblem.IndexFailed}), and this index alone
 *     has no value for that state
 */
public record Index<T>(
    String name, Function<? super StoredObject<T>, ? extends Collection<String>> values) {
  /** The index by namespace, which every informer has. */
  public static final String NAMESPACE = "namespace";
}
