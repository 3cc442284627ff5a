package io.watchgate.http;

import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.WatchCache;
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
   * Returns the objects of a type that is served now; empty if it is not, or no longer. The caller
   * closes the source when it has finished reading.
   */
  Optional<Source> open(TypeDefinition type);

  /** Objects of one type. Closing releases the lease, and never throws. */
  interface Source extends AutoCloseable {
    WatchCache cache();

    /**
     * Makes the cache's head at least as recent as the start of this call, for consistent reads.
     * Returns when it is.
     */
    void refresh();

    @Override
    void close();
  }
}
