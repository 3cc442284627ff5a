package io.watchgate.informer;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Backoff of restarts. The first restart is immediate, because it usually succeeds. Later waits are
 * random within a bound that doubles, because a gateway may send the same update again. Used by one
 * thread at a time; any thread may read the count.
 */
final class RestartBackoff {
  private static final long SHORTEST_MILLIS = 250;
  private static final long LONGEST_MILLIS = 30_000;

  /** Time without a restart after which the backoff is reset. */
  private static final Duration RESET_AFTER = Duration.ofMinutes(2);

  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private long lastNanos;
  private long boundMillis;
  private volatile long count;

  RestartBackoff(LongSupplier nanoTime, RandomGenerator random) {
    this.nanoTime = nanoTime;
    this.random = random;
  }

  /** Records a restart and returns the wait before it. */
  synchronized Duration next() {
    long now = nanoTime.getAsLong();
    if (count == 0 || now - lastNanos > RESET_AFTER.toNanos()) {
      boundMillis = 0;
    }
    long wait = boundMillis == 0 ? 0 : random.nextLong(boundMillis);
    boundMillis = Math.min(Math.max(SHORTEST_MILLIS, 2 * boundMillis), LONGEST_MILLIS);
    lastNanos = now;
    count++;
    return Duration.ofMillis(wait);
  }

  /** Returns the number of restarts. */
  long count() {
    return count;
  }
}
