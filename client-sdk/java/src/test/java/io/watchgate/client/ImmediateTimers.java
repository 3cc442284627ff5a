package io.watchgate.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Scheduler whose timers are all due immediately. Its time is the sum of their delays. */
final class ImmediateTimers implements Scheduler {
  private final List<Duration> delays = new ArrayList<>();
  private long now;

  @Override
  public synchronized long nanoTime() {
    return now;
  }

  @Override
  public Runnable schedule(Duration delay, Runnable task) {
    synchronized (this) {
      delays.add(delay);
      now += delay.toNanos();
    }
    task.run();
    return () -> {};
  }

  /** Returns the delays of all timers so far. */
  synchronized List<Duration> delays() {
    return List.copyOf(delays);
  }
}
