package io.watchgate.cache;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Random deviation of periods, which keeps periodic tasks from synchronizing. */
public final class Jitter {
  private Jitter() {}

  /** Returns a period that is up to a quarter longer or shorter; zero stays zero. */
  public static Duration jittered(Duration period, RandomGenerator random) {
    long nanos = period.toNanos();
    return period.isZero()
        ? period
        : Duration.ofNanos(nanos - nanos / 4 + random.nextLong(nanos / 2));
  }
}
