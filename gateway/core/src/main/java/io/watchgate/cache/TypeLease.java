package io.watchgate.cache;

/**
 * Lease of a type that is open upstream. The type stays open while there are leases, and for some
 * time after the last one ({@link CacheSettings#unusedAfter}).
 */
public final class TypeLease implements AutoCloseable {
  private final WatchCache cache;
  private final Runnable release;
  private boolean released;

  /**
   * Creates a lease.
   *
   * @param release called once, when the lease is closed
   */
  public TypeLease(WatchCache cache, Runnable release) {
    this.cache = cache;
    this.release = release;
  }

  public WatchCache cache() {
    return cache;
  }

  /** Gives the lease back; a second call does nothing. */
  @Override
  public synchronized void close() {
    if (!released) {
      released = true;
      release.run();
    }
  }
}
