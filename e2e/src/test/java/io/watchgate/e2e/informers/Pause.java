package io.watchgate.e2e.informers;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Pause of a benchmark while it measures. */
final class Pause {
  private Pause() {}

  static void of(Duration time) {
    until(System.nanoTime() + time.toNanos());
  }

  /** Returns at a time of {@link System#nanoTime}, at once if it has passed. */
  static void until(long nanoTime) {
    for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
