package io.watchgate.client;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Exponential backoff with full jitter: each wait is random between zero and a bound that doubles
 * with each failure. Confined to one thread at a time; not thread-safe.
 */
final class Backoff {
  static final Duration BASE = Duration.ofMillis(250);
  static final Duration CAP = Duration.ofSeconds(30);

  /**
   * Bound at which the waits of streams stay for {@link #PROMPT_ATTEMPTS} attempts, some twenty
   * seconds. Most outages are short: a gateway is replaced, or a link fails. So a stream reconnects
   * within this time once the gateway is back.
   */
  static final Duration PROMPT = Duration.ofSeconds(1);

  static final int PROMPT_ATTEMPTS = 40;

  private final RandomGenerator random;
  private final Duration base;
  private final int promptAttempts;
  private Duration bound;
  private int prompt;

  private Backoff(RandomGenerator random, Duration base, int promptAttempts) {
    this.random = random;
    this.base = base;
    this.promptAttempts = promptAttempts;
    this.bound = base;
  }

  /**
   * Returns the backoff of a stream: it starts at {@link #BASE} and stays at {@link #PROMPT} for a
   * while.
   */
  static Backoff ofStreams(RandomGenerator random) {
    return new Backoff(random, BASE, PROMPT_ATTEMPTS);
  }

  /**
   * Returns a backoff that doubles from the start, without the pause at {@link #PROMPT}.
   *
   * @param base upper bound of the first wait
   */
  static Backoff doubling(RandomGenerator random, Duration base) {
    return new Backoff(random, base, 0);
  }

  /**
   * Returns the next wait. The jitter is added to {@code atLeast}, the minimum that the server
   * requested, so that many clients do not return at the same moment.
   */
  Duration next(Duration atLeast) {
    Duration wait = atLeast.plus(jitter(bound));
    if (bound.compareTo(PROMPT) < 0 || ++prompt >= promptAttempts) {
      bound = bound.multipliedBy(2).compareTo(CAP) < 0 ? bound.multipliedBy(2) : CAP;
    }
    return wait;
  }

  /** Returns a random duration between zero and {@code limit}, in milliseconds. */
  Duration jitter(Duration limit) {
    return Duration.ofMillis(random.nextLong(limit.toMillis() + 1));
  }

  void reset() {
    bound = base;
    prompt = 0;
  }
}
