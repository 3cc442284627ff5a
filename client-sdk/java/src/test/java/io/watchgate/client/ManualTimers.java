package io.watchgate.client;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Scheduler whose time is controlled by the test. */
final class ManualTimers implements Scheduler {
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::due));
  private long now;

  private record Task(long due, Runnable run) {}

  @Override
  public synchronized long nanoTime() {
    return now;
  }

  @Override
  public synchronized Runnable schedule(Duration delay, Runnable run) {
    Task task = new Task(now + delay.toNanos(), run);
    tasks.add(task);
    return () -> remove(task);
  }

  private synchronized void remove(Task task) {
    tasks.remove(task);
  }

  synchronized boolean idle() {
    return tasks.isEmpty();
  }

  synchronized int size() {
    return tasks.size();
  }

  /** Returns the time until the next timer; the longest duration if there is none. */
  synchronized Duration next() {
    return tasks.isEmpty()
        ? Duration.ofNanos(Long.MAX_VALUE)
        : Duration.ofNanos(tasks.element().due - now);
  }

  /** Advances the time without running a timer. */
  synchronized void pass(Duration time) {
    now += time.toNanos();
  }

  /**
   * Waits until a timer is scheduled, advances the time to it, and runs it.
   *
   * @return delay of the timer
   */
  Duration runNext() {
    await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> !idle());
    return runSet();
  }

  /** Advances the time to the next timer that is already scheduled, and runs it. */
  Duration runSet() {
    Task task;
    long passed;
    synchronized (this) {
      task = tasks.remove();
      passed = Math.max(0, task.due - now);
      now += passed;
    }
    task.run.run();
    return Duration.ofNanos(passed);
  }
}
