package io.watchgate.cache;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Waits after failures, with full jitter: each between zero and a bound that doubles up to a cap,
 * so that replicas which lost the same apiserver at the same moment do not come back at the same
 * moment. Not thread-safe.
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
   * How long to wait now, at least {@code atLeast}: what the server asked for is a floor, jitter
   * comes on top.
   */
  Duration next(Duration atLeast) {
    long bound = Math.min(cap.toNanos(), base.toNanos() << Math.min(failures, 20));
    failures++;
    return atLeast.plusNanos(random.nextLong(Math.max(1, bound)));
  }

  int failures() {
    return failures;
  }

  /** It works again. */
  void reset() {
    failures = 0;
  }
}
