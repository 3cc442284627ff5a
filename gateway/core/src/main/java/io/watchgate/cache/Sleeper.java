package io.watchgate.cache;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Interruptible sleep; virtual in tests. */
interface Sleeper {
  Sleeper REAL =
      (stopped, duration) -> {
        var _ = stopped.await(duration.toNanos(), TimeUnit.NANOSECONDS);
      };

  /** Returns after {@code duration}, or as soon as {@code stopped} opens. */
  void await(CountDownLatch stopped, Duration duration) throws InterruptedException;
}
