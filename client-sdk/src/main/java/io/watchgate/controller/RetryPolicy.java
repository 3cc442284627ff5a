package io.watchgate.controller;

import java.time.Duration;

/**
 * Retry policy of failed keys: exponential delays for each key, and a rate limit for all keys
 * together.
 *
 * @param first delay after the first failure, above zero
 * @param longest upper bound of the delay
 * @param perSecond rate of retries of all keys together, above zero
 * @param burst number of retries before the rate limit applies, at least 1
 */
public record RetryPolicy(Duration first, Duration longest, double perSecond, int burst) {
  /** 5 ms to 1,000 s; 10 per second after a burst of 100. The values of client-go. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(Duration.ofMillis(5), Duration.ofSeconds(1_000), 10, 100);

  public RetryPolicy {
    if (first.isZero() || first.isNegative() || longest.compareTo(first) < 0) {
      throw new IllegalArgumentException(
          "waits from "
              + first
              + " to "
              + longest
              + ": the first must be above zero, and no longer");
    }
    if (!(perSecond > 0) || burst < 1) {
      throw new IllegalArgumentException(
          perSecond + " a second after " + burst + ": both must be above zero");
    }
  }

  /** Returns the delay in nanoseconds after the given number of failures in a row. */
  long waitNanos(int failures) {
    long longestNanos = longest.toNanos();
    int doublings = Math.min(failures - 1, 62);
    long firstNanos = first.toNanos();
    return firstNanos > longestNanos >> doublings ? longestNanos : firstNanos << doublings;
  }
}
