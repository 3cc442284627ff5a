package io.watchgate.cache;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Clock, random source and sleeper of a reflector. */
record ReflectorClock(TimeSource time, RandomGenerator random, Sleeper sleeper) {
  /**
   * Returns a period that is up to a quarter longer or shorter, so that types and replicas do not
   * synchronize.
   */
  Duration jittered(Duration every) {
    return Jitter.jittered(every, random);
  }

  /** Interruptible sleep; virtual in tests. */
  interface Sleeper {
    Sleeper REAL =
        (stopped, duration) -> {
          var _ = stopped.await(duration.toNanos(), TimeUnit.NANOSECONDS);
        };

    /** Returns after {@code duration}, or as soon as {@code stopped} opens. */
    void await(CountDownLatch stopped, Duration duration) throws InterruptedException;
  }
}
