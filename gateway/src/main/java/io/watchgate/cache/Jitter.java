package io.watchgate.cache;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Keeps what is done again and again from going in step with what others do. */
public final class Jitter {
  private Jitter() {}

  /** A period up to a quarter longer or shorter; zero stays zero. */
  public static Duration around(Duration period, RandomGenerator random) {
    long nanos = period.toNanos();
    return period.isZero()
        ? period
        : Duration.ofNanos(nanos - nanos / 4 + random.nextLong(nanos / 2));
  }
}
