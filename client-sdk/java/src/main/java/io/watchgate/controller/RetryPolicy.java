package io.watchgate.controller;

import java.time.Duration;

/**
 * Retry policy of failed keys: exponential delays for each key, and a rate limit for all keys
 * together.
 *
 * @param initialDelay delay after the first failure, above zero
 * @param maxDelay upper bound of the delay
 * @param perSecond rate of retries of all keys together, above zero
 * @param burst number of retries before the rate limit applies, at least 1
 */
public record RetryPolicy(Duration initialDelay, Duration maxDelay, double perSecond, int burst) {
  /** 5 ms to 1,000 s; 10 per second after a burst of 100. The values of client-go. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(Duration.ofMillis(5), Duration.ofSeconds(1_000), 10, 100);

  public RetryPolicy {
    if (initialDelay.isZero()
        || initialDelay.isNegative()
        || maxDelay.compareTo(initialDelay) < 0) {
      throw new IllegalArgumentException(
          "delays from "
              + initialDelay
              + " to "
              + maxDelay
              + ": initialDelay must be above zero, and at most maxDelay");
    }
    if (!(perSecond > 0) || burst < 1) {
      throw new IllegalArgumentException(
          perSecond + " a second after " + burst + ": both must be above zero");
    }
  }

  /** Returns the delay in nanoseconds after the given number of failures in a row. */
  long waitNanos(int failures) {
    long longestNanos = maxDelay.toNanos();
    int doublings = Math.min(failures - 1, 62);
    long firstNanos = initialDelay.toNanos();
    return firstNanos > longestNanos >> doublings ? longestNanos : firstNanos << doublings;
  }
}
