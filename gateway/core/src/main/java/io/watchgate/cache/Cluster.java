package io.watchgate.cache;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The apiserver as the cache needs it: discovery of types, and an {@link Upstream} for each.
 * Implemented by {@code kube}. Thread-safe; calls may block.
 */
public interface Cluster {

  /**
   * Finds a type by any of its names. A known type is returned at once, and refreshed in the
   * background if the knowledge is old. For an unknown name the apiserver is asked, with a timeout
   * of a few seconds.
   */
  Resolution resolve(TypeReference name) throws InterruptedException;

  /**
   * Like {@link #resolve}, but accepts knowledge only if it is at most about one second old, or if
   * no newer knowledge is available within a few seconds. For a caller that would be refused
   * because of the known definition.
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
   * Returns all types that the apiserver serves, in their preferred versions and in its own order.
   * Known types are returned at once, and refreshed in the background if the knowledge is old. For
   * unknown types the call waits a few seconds for the apiserver.
   */
  Listing types() throws InterruptedException;

  /** Opens a list-watch with connections of its own. The caller closes it. */
  Upstream open(TypeDefinition definition);

  /**
   * Known types.
   *
   * @param unread custom types whose definition the apiserver did not return, and the reason
   * @param failure reason for which {@code types} may be out of date, or empty if nothing is known
   * @param columns table columns of custom types whose definitions have any
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

    /** Creates a listing of types without columns. */
    public Listing(
        List<TypeDefinition> types,
        Map<ApiResource, UpstreamFailure> unread,
        Optional<UpstreamFailure> failure) {
      this(types, unread, failure, Map.of());
    }
  }

  /** Result of a lookup of a type. */
  sealed interface Resolution permits Found, Unknown, Unavailable {}

  record Found(TypeDefinition definition) implements Resolution {}

  /** There is no such type. {@code near} are at most five similar names, best first. */
  record Unknown(List<String> near) implements Resolution {
    public Unknown {
      near = List.copyOf(near);
    }
  }

  /** The apiserver could not be asked. */
  record Unavailable(UpstreamFailure failure) implements Resolution {}
}
