package io.watchgate.bench;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Holds the writer back until the slowest reader has what was written {@code size} writes ago: a
 * slot for each write under way, which is free again when each connection has said that all its
 * readers have it. Thread-safe.
 */
final class InFlightLimit {
  private final Semaphore[] slots;
  private final AtomicIntegerArray waiting;

  /** By object: how many connections have readers for it. */
  private final int[] connections;

  InFlightLimit(int size, int[] connections) {
    this.slots = new Semaphore[size];
    this.waiting = new AtomicIntegerArray(size);
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
   * @return whether it is free now
   */
  boolean enter(long number, long atMostNanos) throws InterruptedException {
    int slot = slot(number);
    if (!slots[slot].tryAcquire(atMostNanos, TimeUnit.NANOSECONDS)) {
      return false;
    }
    int awaited = connections[(int) (number % connections.length)];
    waiting.set(slot, awaited);
    if (awaited == 0) {
      slots[slot].release();
    }
    return true;
  }

  private int slot(long number) {
    return (int) (number % slots.length);
  }

  private void connectionHas(long number) {
    int slot = slot(number);
    if (waiting.decrementAndGet(slot) == 0) {
      slots[slot].release();
    }
  }

  /** One connection's share in it. Only for the connection's thread. */
  static final class Share {
    /** By object: how many readers of the connection are awaited. */
    private final int[] expected;

    private final int[] left;
    private final @Nullable InFlightLimit window;

    /**
     * @param window null where nobody is held back
     */
    Share(int[] expected, @Nullable InFlightLimit window) {
      this.expected = expected.clone();
      this.window = window;
      this.left = new int[window == null ? 0 : window.size()];
    }

    /** One of the readers that are awaited has it. */
    void readerHas(long number) {
      if (window == null) {
        return;
      }
      int slot = window.slot(number);
      if (left[slot] == 0) {
        left[slot] = expected[(int) (number % expected.length)];
      }
      if (--left[slot] == 0) {
        window.connectionHas(number);
      }
    }
  }
}
