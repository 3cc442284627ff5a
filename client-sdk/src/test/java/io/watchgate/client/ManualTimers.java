package io.watchgate.client;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes when a test says so. */
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

  /** How far the next timer is; for ever: there is none. */
  synchronized Duration next() {
    return tasks.isEmpty()
        ? Duration.ofNanos(Long.MAX_VALUE)
        : Duration.ofNanos(tasks.element().due - now);
  }

  /** Time passes without a timer becoming due. */
  synchronized void pass(Duration time) {
    now += time.toNanos();
  }

  /**
   * Waits for a timer to be set, and goes to where it is due.
   *
   * @return how far that was
   */
  Duration runNext() {
    await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> !idle());
    return runSet();
  }

  /** The same with one that is set already. */
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
