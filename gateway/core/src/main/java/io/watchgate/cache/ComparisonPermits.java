package io.watchgate.cache;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limit of the types that are compared with the apiserver at a time. A comparison that takes longer
 * than the holding time continues but no longer counts, so that lists that hang do not block other
 * types. Thread-safe.
 */
final class ComparisonPermits {
  private final int limit;
  private final Duration holdingTime;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final Condition released = lock.newCondition();

  /** Permits in the order in which they were acquired. Guarded by {@link #lock}. */
  private final Deque<Permit> held = new ArrayDeque<>();

  /** Guarded by {@link #lock}. */
  private int waiting;

  ComparisonPermits(int limit, Duration holdingTime, TimeSource time) {
    this.limit = limit;
    this.holdingTime = holdingTime;
    this.time = time;
  }

  /** Permit of one comparison; closed at its end. */
  final class Permit implements AutoCloseable {
    private final long acquiredAt = time.nanoTime();

    @Override
    public void close() {
      lock.lock();
      try {
        if (held.remove(this)) {
          released.signal();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Waits for a permit. */
  Permit acquire() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      waiting++;
      try {
        while (held.size() >= limit) {
          long left = held.getFirst().acquiredAt + holdingTime.toNanos() - time.nanoTime();
          if (left <= 0) {
            held.removeFirst();
          } else {
            var _ = released.await(left, TimeUnit.NANOSECONDS);
          }
        }
      } finally {
        waiting--;
      }
      Permit permit = new Permit();
      held.addLast(permit);
      return permit;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of comparisons that wait for a permit. */
  int waiting() {
    lock.lock();
    try {
      return waiting;
    } finally {
      lock.unlock();
    }
  }
}
