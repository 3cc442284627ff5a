package io.watchgate.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Exponential backoff with full jitter: each wait is random between zero and a bound that doubles
 * with each failure. Confined to one thread at a time; not thread-safe.
 */
final class Backoff {
  /** Bound of a stream's first wait, as in the rules of watch.proto. */
  static final Duration BASE = Duration.ofMillis(500);

  /** Largest bound, of the same rules. */
  static final Duration CAP = Duration.ofSeconds(30);

  private final RandomGenerator random;
  private final Duration base;
  private Duration bound;

  /**
   * Creates a backoff.
   *
   * @param base upper bound of the first wait
   */
  Backoff(RandomGenerator random, Duration base) {
    this.random = random;
    this.base = base;
    this.bound = base;
  }

  /**
   * Returns the next wait. The jitter is added to {@code atLeast}, the minimum that the server
   * requested, so that many clients do not return at the same moment.
   */
  Duration next(Duration atLeast) {
    Duration wait = atLeast.plus(jitter(bound));
    Duration doubled = bound.multipliedBy(2);
    bound = doubled.compareTo(CAP) < 0 ? doubled : CAP;
    return wait;
  }

  /** Returns a random duration between zero and {@code limit}, in milliseconds. */
  Duration jitter(Duration limit) {
    return Duration.ofMillis(random.nextLong(limit.toMillis() + 1));
  }

  void reset() {
    bound = base;
  }
}
