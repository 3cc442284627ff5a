package io.watchgate.client;

import java.time.Duration;

/** Clock and timer of a client. Tests replace it to control time. */
interface Scheduler {
  /** Returns the time in nanoseconds, as {@link System#nanoTime} does. */
  long nanoTime();

  /**
   * Runs the task once, on any thread; the task must not block.
   *
   * @return action that cancels the task; without effect once the task has run
   */
  Runnable schedule(Duration delay, Runnable task);
}
