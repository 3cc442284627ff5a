package io.watchgate.client;

import java.time.Duration;

/**
 * Rate limit of a client's retries: 100 per second with a burst of 100. Each watch already backs
 * off with jitter; the limit protects the gateway from a client with thousands of watches, which
 * would otherwise retry thousands of times per second together. Thread-safe.
 */
final class RetryBudget {
  private static final Duration INTERVAL = Duration.ofMillis(10);
  private static final Duration BURST_WINDOW = Duration.ofSeconds(1);

  private final Scheduler timers;

  /** Time of the next free slot if the burst is used up. */
  private long next;

  RetryBudget(Scheduler timers) {
    this.timers = timers;
    this.next = timers.nanoTime() - BURST_WINDOW.toNanos();
  }

  /** Reserves a slot for an attempt after {@code wait} and returns the actual wait. */
  synchronized Duration reserve(Duration wait) {
    long now = timers.nanoTime();
    long wanted = now + wait.toNanos();
    next = next - (now - BURST_WINDOW.toNanos()) < 0 ? now - BURST_WINDOW.toNanos() : next;
    next += INTERVAL.toNanos();
    return next - wanted > 0 ? Duration.ofNanos(next - now) : wait;
  }
}
