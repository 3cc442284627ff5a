package io.watchgate.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Full jitter: a random wait between nothing and a bound that doubles with each failure. Used by
 * one owner, not thread-safe.
 */
final class Backoff {
  static final Duration BASE = Duration.ofMillis(250);
  static final Duration CAP = Duration.ofSeconds(30);

  private final RandomGenerator random;
  private final Duration base;
  private Duration bound;

  /**
   * @param base what the first wait is at most
   */
  Backoff(RandomGenerator random, Duration base) {
    this.random = random;
    this.base = base;
    this.bound = base;
  }

  /**
   * What the server asked for comes on top: it is the least, and a crowd must not obey it at once.
   */
  Duration next(Duration atLeast) {
    Duration wait = atLeast.plus(within(bound));
    bound = bound.multipliedBy(2).compareTo(CAP) < 0 ? bound.multipliedBy(2) : CAP;
    return wait;
  }

  /** A random moment within {@code limit}, in milliseconds. */
  Duration within(Duration limit) {
    return Duration.ofMillis(random.nextLong(limit.toMillis() + 1));
  }

  void reset() {
    bound = base;
  }
}
