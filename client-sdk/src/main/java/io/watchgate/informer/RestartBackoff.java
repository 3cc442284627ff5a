package io.watchgate.informer;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * How long to wait before beginning anew: not at all the first time, since that mostly helps; then
 * at random within a bound that doubles, since a gateway may send the same again. Used by one owner
 * at a time; the count is read by any.
 */
final class RestartBackoff {
  private static final long SHORTEST_MILLIS = 250;
  private static final long LONGEST_MILLIS = 30_000;

  /** Whoever had no trouble for so long has none. */
  private static final Duration FORGOTTEN = Duration.ofMinutes(2);

  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private long lastNanos;
  private long boundMillis;
  private volatile long count;

  RestartBackoff(LongSupplier nanoTime, RandomGenerator random) {
    this.nanoTime = nanoTime;
    this.random = random;
  }

  /** One more. */
  synchronized Duration next() {
    long now = nanoTime.getAsLong();
    if (count == 0 || now - lastNanos > FORGOTTEN.toNanos()) {
      boundMillis = 0;
    }
    long wait = boundMillis == 0 ? 0 : random.nextLong(boundMillis);
    boundMillis = Math.min(Math.max(SHORTEST_MILLIS, 2 * boundMillis), LONGEST_MILLIS);
    lastNanos = now;
    count++;
    return Duration.ofMillis(wait);
  }

  /** How many there were. */
  long count() {
    return count;
  }
}
