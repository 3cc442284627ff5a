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

  /**
   * Most outages are short: a gateway that is replaced, a link that is cut. So streams wait no
   * longer than this for some twenty seconds, and are there within it once the gateway is back.
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

  /** From {@link #BASE} on, with a rest at {@link #PROMPT}. */
  static Backoff ofStreams(RandomGenerator random) {
    return new Backoff(random, BASE, PROMPT_ATTEMPTS);
  }

  /**
   * Without a rest.
   *
   * @param base what the first wait is at most
   */
  static Backoff doubling(RandomGenerator random, Duration base) {
    return new Backoff(random, base, 0);
  }

  /**
   * What the server asked for comes on top: it is the least, and a crowd must not obey it at once.
   */
  Duration next(Duration atLeast) {
    Duration wait = atLeast.plus(within(bound));
    if (bound.compareTo(PROMPT) < 0 || ++prompt >= promptAttempts) {
      bound = bound.multipliedBy(2).compareTo(CAP) < 0 ? bound.multipliedBy(2) : CAP;
    }
    return wait;
  }

  /** A random moment within {@code limit}, in milliseconds. */
  Duration within(Duration limit) {
    return Duration.ofMillis(random.nextLong(limit.toMillis() + 1));
  }

  void reset() {
    bound = base;
    prompt = 0;
  }
}
