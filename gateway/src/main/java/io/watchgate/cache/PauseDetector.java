package io.watchgate.cache;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Counts how often the process did not run for a while: it was stopped, its machine was asleep or
 * moved, or memory was collected all that time. What is read after such a pause may have waited in
 * a buffer since its beginning, and proves nothing about the present.
 *
 * <p>It looks at the clock twice a second on the timer's thread; a look that comes late is a pause,
 * and so is one that has not come yet. Both clocks are looked at, since the monotonic one stands
 * still while a machine sleeps. A step of the wall clock therefore counts as a pause, too, which
 * costs each open type one request. Thread-safe.
 *
 * <p>Rejected: to doubt whatever a read waited for, as nobody knows when it came. On a quiet type
 * each bookmark would then prove only what the one before it already did.
 */
final class PauseDetector {
  /**
   * Shorter pauses are not noticed, so that what is proven may be older by as much as it claims.
   */
  static final Duration SHORTEST = Duration.ofSeconds(2);

  private static final Duration LOOK = Duration.ofMillis(500);

  private final TimeSource time;
  private final ScheduledExecutorService timer;
  private volatile Look last;
  private Future<?> next;
  private boolean closed;

  /**
   * One look at the clocks.
   *
   * @param pauses how many there were until then
   */
  private record Look(long nanos, long wallMillis, long pauses) {}

  /** The process did not run for a while. */
  static final class Paused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private Paused() {
      super(null, null, false, false);
    }
  }

  PauseDetector(TimeSource time, ScheduledExecutorService timer) {
    this.time = time;
    this.timer = timer;
    this.last = new Look(time.nanoTime(), time.wall().millis(), 0);
    this.next = later();
  }

  private Future<?> later() {
    return timer.schedule(this::look, LOOK.toNanos(), TimeUnit.NANOSECONDS);
  }

  private synchronized void look() {
    long nanos = time.nanoTime();
    long wallMillis = time.wall().millis();
    last = new Look(nanos, wallMillis, pausesAt(nanos, wallMillis));
    if (!closed) {
      next = later();
    }
  }

  /** How many pauses there were, one included that is over only now. Allocates nothing. */
  long pauses() {
    return pausesAt(time.nanoTime(), time.wall().millis());
  }

  private long pausesAt(long nanos, long wallMillis) {
    Look before = last;
    boolean pausedNow =
        nanos - before.nanos >= SHORTEST.toNanos()
            || Math.abs(wallMillis - before.wallMillis) >= SHORTEST.toMillis();
    return pausedNow ? before.pauses + 1 : before.pauses;
  }

  /**
   * Goes on if there was no pause since then.
   *
   * @param then how many there were
   * @throws Paused if there was
   */
  void failIfPausedSince(long then) {
    if (pauses() != then) {
      throw new Paused();
    }
  }

  /** Looks no more. */
  synchronized void close() {
    closed = true;
    next.cancel(false);
  }
}
