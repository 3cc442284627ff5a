package io.watchgate.cache;

import java.util.List;

/**
 * The apiserver as the cache needs it: which types there are, and an {@link Upstream} for each.
 * Implemented by {@code kube}. Thread-safe; the calls block, for at most the configured request
 * timeout each.
 */
public interface Cluster {

  /**
   * Finds a type by any of its names, asking the apiserver anew where what is known does not
   * answer.
   */
  Resolution resolve(TypeName name) throws InterruptedException;

  /** Like {@link #resolve}, but always asks the apiserver anew. */
  Resolution refresh(TypeName name) throws InterruptedException;

  /**
   * All types that the apiserver serves in their preferred versions, as far as it answers; in its
   * own order.
   */
  List<TypeDefinition> types() throws InterruptedException;

  /** A list-watch of its own, with connections of its own. The caller closes it. */
  Upstream open(TypeDefinition definition);

  /** What became of a look for a type. */
  sealed interface Resolution permits Found, Unknown, Unavailable {}

  record Found(TypeDefinition definition) implements Resolution {}

  /** No such type. {@code near} are names that look alike, best first, at most five. */
  record Unknown(List<String> near) implements Resolution {
    public Unknown {
      near = List.copyOf(near);
    }
  }

  /** The apiserver could not be asked. */
  record Unavailable(UpstreamFailure failure) implements Resolution {}
}
