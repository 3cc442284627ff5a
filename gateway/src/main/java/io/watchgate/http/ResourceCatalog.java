package io.watchgate.http;

import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.WatchCache;
import java.util.List;
import java.util.Optional;

/** What is served, and where its objects come from. Thread-safe; no call blocks for long. */
public interface ResourceCatalog {
  /** All that is served now, in the order of discovery. */
  List<ServedResource> resources();

  /**
   * The objects of a type that is served now; empty if it is not, or no longer. To be closed when
   * nothing is read from it any more.
   */
  Optional<Source> open(TypeDefinition type);

  /** The objects of one type. Closing it gives back what was leased, and never throws. */
  interface Source extends AutoCloseable {
    WatchCache cache();

    /**
     * Makes the cache's head at least as recent as the moment of this call: for reads that must be
     * consistent. Returns when it is.
     */
    void refresh();

    @Override
    void close();
  }
}
