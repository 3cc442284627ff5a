package io.watchgate.grpc.lane;

import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Queue of the streams and groups of one connection that wait for its window or its socket. They
 * are woken in order, and as many as there is room for. Used on the event loop of the connection.
 */
final class LaneWaiters {
  /** Time after which woken streams that have not asked for room no longer hold up the others. */
  private static final long WAKE_NANOS = 100_000_000;

  /** Room that a woken stream is assumed to need at least, in bytes. */
  private static final int MIN_ROOM = 256;

  private final EventExecutor executor;
  private final LongSupplier room;
  private final SequencedSet<Waiter> waiting = new LinkedHashSet<>();

  /** Number of waiters that were woken and have not yet asked for room. */
  private int waking;

  /** Time of the last wake-up. */
  private long wokenAt;

  /** True if a task will look for streams that still wait after {@link #WAKE_NANOS}. */
  private boolean checkScheduled;

  /** Sender that waits for the connection: a stream, or a group of streams. */
  interface Waiter {
    /** Called when there may be room; only posts a task, in which it asks. */
    void wake();

    /** Returns the bytes that it is likely to need. */
    int lastBytes();
  }

  /**
   * @param executor event loop of the connection
   * @param room bytes that the connection takes now
   */
  LaneWaiters(EventExecutor executor, LongSupplier room) {
    this.executor = executor;
    this.room = room;
  }

  /** Adds a stream or group that waits for room. It is woken once. */
  void add(Waiter waiter) {
    waiting.add(waiter);
    scheduleCheck();
  }

  void remove(Waiter waiter) {
    waiting.remove(waiter);
  }

  /**
   * Records that a woken stream has asked for room, or has ended. The next streams are woken after
   * its task, when it has used what it needs.
   */
  void endWake() {
    if (waking > 0 && --waking == 0 && !waiting.isEmpty()) {
      executor.execute(this::wake);
    }
  }

  /**
   * Wakes as many waiting streams as there is room for, in order, unless others were just woken.
   */
  void wake() {
    if (waiting.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    if (waking == 0 || now - wokenAt >= WAKE_NANOS) {
      waking = 0;
      wokenAt = now;
      long left = room.getAsLong();
      while (left > 0 && !waiting.isEmpty()) {
        Waiter next = waiting.removeFirst();
        waking++;
        left -= Math.max(MIN_ROOM, next.lastBytes());
        next.wake();
      }
    }
    scheduleCheck();
  }

  /** Makes sure that the others are woken also if a woken stream does not ask for room. */
  private void scheduleCheck() {
    if (waking > 0 && !waiting.isEmpty() && !checkScheduled) {
      checkScheduled = true;
      var _ = executor.schedule(this::check, WAKE_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  private void check() {
    checkScheduled = false;
    wake();
  }
}
