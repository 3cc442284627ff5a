package io.watchgate.client;

import java.time.Duration;

/**
 * Rate limit of a client's retries: 100 per second with a burst of 100. Each watch already backs
 * off with jitter; the limit protects the gateway from a client with thousands of watches, which
 * would otherwise retry thousands of times per second together. Thread-safe.
 */
final class RetryBudget {
  private static final Duration APART = Duration.ofMillis(10);
  private static final Duration AT_ONCE = Duration.ofSeconds(1);

  private final Scheduler timers;

  /** Time of the next free slot if the burst is used up. */
  private long next;

  RetryBudget(Scheduler timers) {
    this.timers = timers;
    this.next = timers.nanoTime() - AT_ONCE.toNanos();
  }

  /** Reserves a slot for an attempt after {@code wait} and returns the actual wait. */
  synchronized Duration reserve(Duration wait) {
    long now = timers.nanoTime();
    long wanted = now + wait.toNanos();
    next = next - (now - AT_ONCE.toNanos()) < 0 ? now - AT_ONCE.toNanos() : next;
    next += APART.toNanos();
    return next - wanted > 0 ? Duration.ofNanos(next - now) : wait;
  }
}
