package io.watchgate.cache;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Exponential backoff with full jitter: each wait is random between zero and a bound that doubles
 * up to a cap. So replicas that lost the same apiserver do not reconnect at the same moment. The
 * first bound and the cap are in {@link BackoffSettings}. Not thread-safe.
 */
final class Backoff {
  private final Duration base;
  private final Duration cap;
  private final RandomGenerator random;
  private int failures;

  Backoff(Duration base, Duration cap, RandomGenerator random) {
    this.base = base;
    this.cap = cap;
    this.random = random;
  }

  /**
   * Returns the next wait. The server's requested wait {@code atLeast} is the lower bound, to which
   * the jitter is added.
   */
  Duration next(Duration atLeast) {
    long bound = Math.min(cap.toNanos(), base.toNanos() << Math.min(failures, 20));
    failures++;
    return atLeast.plusNanos(random.nextLong(Math.max(1, bound)));
  }

  int failures() {
    return failures;
  }

  /** Resets the bound after a success. */
  void reset() {
    failures = 0;
  }
}
