package io.watchgate.controller;

import java.time.Duration;

/**
 * How what failed is tried again: each time after twice as long, and all together no faster than a
 * rate.
 *
 * @param first after the first failure, above zero
 * @param longest no wait is longer
 * @param perSecond of all that failed together, above zero
 * @param burst so many may be tried at once before the rate counts, at least 1
 */
public record RetryPolicy(Duration first, Duration longest, double perSecond, int burst) {
  /** 5 ms to 1,000 s; 10 a second, after the first 100. The values of client-go. */
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

  /** The wait after that many failures in a row, in nanoseconds. */
  long waitNanos(int failures) {
    long longestNanos = longest.toNanos();
    int doublings = Math.min(failures - 1, 62);
    long firstNanos = first.toNanos();
    return firstNanos > longestNanos >> doublings ? longestNanos : firstNanos << doublings;
  }
}
