package io.watchgate.client;

import java.time.Duration;

/** Time, so that tests can make it pass. */
interface Scheduler {
  /** As {@link System#nanoTime}. */
  long nanoTime();

  /**
   * Runs the task once, on any thread; the task must not block.
   *
   * @return cancels it; without effect once it ran
   */
  Runnable schedule(Duration delay, Runnable task);
}
