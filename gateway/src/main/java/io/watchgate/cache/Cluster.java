package io.watchgate.cache;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The apiserver as the cache needs it: which types there are, and an {@link Upstream} for each.
 * Implemented by {@code kube}. Thread-safe; the calls may block.
 */
public interface Cluster {

  /**
   * Finds a type by any of its names. A type that is known is found at once, and what is known of
   * it is refreshed aside if it is old. For a name that is not known the apiserver is asked, and
   * waited for a few seconds.
   */
  Resolution resolve(TypeReference name) throws InterruptedException;

  /**
   * Like {@link #resolve}, but what is known counts only if it is about a second old at most, or
   * nothing newer can be had within a few seconds. For a caller that would be refused something by
   * what is known.
   */
  default Resolution recheck(TypeReference name) throws InterruptedException {
    return resolve(name);
  }

  /**
   * Like {@link #resolve}, but always asks the apiserver, and waits until it has answered or
   * failed.
   */
  Resolution refresh(TypeReference name) throws InterruptedException;

  /**
   * All types that the apiserver serves, in their preferred versions and in its own order. What is
   * known is returned at once, and refreshed aside if it is old; for what is not, the apiserver is
   * waited for a few seconds.
   */
  Listing types() throws InterruptedException;

  /** A list-watch of its own, with connections of its own. The caller closes it. */
  Upstream open(TypeDefinition definition);

  /**
   * The types there are.
   *
   * @param unread custom types whose definition the apiserver did not give, and why
   * @param failure why {@code types} may be out of date, or empty for want of anything known
   * @param columns of tables of custom types, where their definitions name any
   */
  record Listing(
      List<TypeDefinition> types,
      Map<ApiResource, UpstreamFailure> unread,
      Optional<UpstreamFailure> failure,
      Map<ApiResource, List<CustomColumn>> columns) {
    public Listing {
      types = List.copyOf(types);
      unread = Map.copyOf(unread);
      columns = Map.copyOf(columns);
    }

    /** Of types without columns. */
    public Listing(
        List<TypeDefinition> types,
        Map<ApiResource, UpstreamFailure> unread,
        Optional<UpstreamFailure> failure) {
      this(types, unread, failure, Map.of());
    }
  }

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
