package io.watchgate.client;

import java.time.Duration;

/**
 * How many attempts that follow on failed ones a client may make: a hundred a second, and as many
 * at once. Each watch waits at random, longer after each failure; this is for a client of thousands
 * of watches, which would else try thousands of times a second together. Thread-safe.
 */
final class RetryBudget {
  private static final Duration APART = Duration.ofMillis(10);
  private static final Duration AT_ONCE = Duration.ofSeconds(1);

  private final Scheduler timers;

  /** When the next attempt may be, if as many as may be have been made at once. */
  private long next;

  RetryBudget(Scheduler timers) {
    this.timers = timers;
    this.next = timers.nanoTime() - AT_ONCE.toNanos();
  }

  /** Takes a place for an attempt that is to be made after {@code wait}, and says after what. */
  synchronized Duration reserve(Duration wait) {
    long now = timers.nanoTime();
    long wanted = now + wait.toNanos();
    next = next - (now - AT_ONCE.toNanos()) < 0 ? now - AT_ONCE.toNanos() : next;
    next += APART.toNanos();
    return next - wanted > 0 ? Duration.ofNanos(next - now) : wait;
  }
}
