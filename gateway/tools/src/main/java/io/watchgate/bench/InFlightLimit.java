package io.watchgate.bench;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Limit on the writes in flight, so that the writer waits for the slowest reader. Each write in
 * flight has a slot, which is free again once each connection has reported the write for all its
 * readers. A write thus waits until the slowest reader has the write {@code size} writes before it.
 * Thread-safe.
 */
final class InFlightLimit {
  private final Semaphore[] slots;
  private final AtomicIntegerArray awaitedConnections;

  /** Number of connections that have readers of an object, by object. */
  private final int[] connections;

  InFlightLimit(int size, int[] connections) {
    this.slots = new Semaphore[size];
    this.awaitedConnections = new AtomicIntegerArray(size);
    this.connections = connections.clone();
    for (int i = 0; i < size; i++) {
      slots[i] = new Semaphore(1);
    }
  }

  int size() {
    return slots.length;
  }

  /**
   * Waits for the slot of a write.
   *
   * @return whether the slot was acquired in time
   */
  boolean tryAcquire(long number, long atMostNanos) throws InterruptedException {
    int slot = slot(number);
    if (!slots[slot].tryAcquire(atMostNanos, TimeUnit.NANOSECONDS)) {
      return false;
    }
    int awaited = connections[(int) (number % connections.length)];
    awaitedConnections.set(slot, awaited);
    if (awaited == 0) {
      slots[slot].release();
    }
    return true;
  }

  private int slot(long number) {
    return (int) (number % slots.length);
  }

  private void connectionReceived(long number) {
    int slot = slot(number);
    if (awaitedConnections.decrementAndGet(slot) == 0) {
      slots[slot].release();
    }
  }

  /** One connection's part of the limit. Confined to the connection's event loop. */
  static final class Share {
    /** Number of the connection's readers that must receive a change, by object. */
    private final int[] expected;

    private final int[] outstandingReaders;
    private final @Nullable InFlightLimit limit;

    /**
     * @param limit null if writes are not limited
     */
    Share(int[] expected, @Nullable InFlightLimit limit) {
      this.expected = expected.clone();
      this.limit = limit;
      this.outstandingReaders = new int[limit == null ? 0 : limit.size()];
    }

    /** Records that one of the awaited readers has received a write. */
    void readerReceived(long number) {
      if (limit == null) {
        return;
      }
      int slot = limit.slot(number);
      if (outstandingReaders[slot] == 0) {
        outstandingReaders[slot] = expected[(int) (number % expected.length)];
      }
      if (--outstandingReaders[slot] == 0) {
        limit.connectionReceived(number);
      }
    }
  }
}
