package io.watchgate.http;

import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeLease;
import java.util.List;
import java.util.Optional;

/**
 * Catalog of the served resources and of the sources of their objects. Thread-safe; no call blocks
 * for long.
 */
public interface ResourceCatalog {
  /** Returns all resources that are served now, in the order of discovery. */
  List<ServedResource> resources();

  /**
   * Returns a lease of a type that is served now; empty if it is not, or no longer. The caller
   * closes the lease when it has finished reading.
   */
  Optional<TypeLease> open(TypeDefinition type);
}
