package io.watchgate.sandbox.churn;

import java.util.Comparator;
import java.util.HashSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Queue of the scheduled tasks, in the order of virtual time. Not thread-safe. */
final class SimulationQueue {
  private static final Logger log = LoggerFactory.getLogger(SimulationQueue.class);

  private final RandomGenerator random;
  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::due).thenComparingLong(Task::number));
  private final Set<String> waiting = new HashSet<>();
  private long now;
  private long count;

  private record Task(long due, long number, @Nullable String name, Runnable action) {}

  SimulationQueue(RandomGenerator random) {
    this.random = random;
  }

  /** Returns the virtual time, in milliseconds since the start. */
  long now() {
    return now;
  }

  void schedule(ChurnSettings.Delay delay, Runnable action) {
    add(delay, null, action);
  }

  /** Schedules an action, unless an action of the same name is already waiting. */
  void scheduleOnce(String name, ChurnSettings.Delay delay, Runnable action) {
    if (waiting.add(name)) {
      add(delay, name, action);
    }
  }

  private void add(ChurnSettings.Delay delay, @Nullable String name, Runnable action) {
    long least = delay.least();
    long due = now + (least == delay.most() ? least : random.nextLong(least, delay.most()));
    tasks.add(new Task(due, count++, name, action));
  }

  /** Returns the time of the next task; {@link Long#MAX_VALUE} if there is none. */
  long nextDue() {
    Task first = tasks.peek();
    return first == null ? Long.MAX_VALUE : first.due;
  }

  /** Runs the next task, at its time. */
  void runNext() {
    Task task = tasks.remove();
    now = task.due;
    if (task.name != null) {
      waiting.remove(task.name);
    }
    try {
      task.action.run();
    } catch (RuntimeException e) {
      // Other clients may write any object; later tasks must run nevertheless.
      log.warn(
          "churn: task \"{}\" failed: {}", task.name == null ? "unnamed" : task.name, e.toString());
    }
  }

  /** Advances the virtual time to {@code time}; no task is due before. */
  void advanceTo(long time) {
    now = Math.max(now, time);
  }
}
