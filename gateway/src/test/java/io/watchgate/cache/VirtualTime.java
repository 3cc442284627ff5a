package io.watchgate.cache;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Clock and timer that advance only on command. Not thread-safe. */
public final class VirtualTime extends AbstractExecutorService implements ScheduledExecutorService {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(
          Comparator.comparingLong((Task task) -> task.due).thenComparingLong(task -> task.number));
  private long nanos;
  private long numbers;

  public TimeSource source() {
    return new TimeSource(() -> BEGIN.plusNanos(nanos), () -> nanos);
  }

  /** Advances the clock, and runs the tasks that become due at their time. */
  public void advance(Duration duration) {
    long until = nanos + duration.toNanos();
    for (Task task = tasks.peek(); task != null && task.due <= until; task = tasks.peek()) {
      tasks.remove();
      nanos = Math.max(nanos, task.due);
      task.run();
    }
    nanos = until;
  }

  /** Returns the number of waiting tasks, without cancelled ones. */
  public int waitingTasks() {
    tasks.removeIf(Task::isCancelled);
    return tasks.size();
  }

  private final class Task extends FutureTask<Void> implements ScheduledFuture<Void> {
    final long due;
    final long number = numbers++;

    Task(Runnable command, long due) {
      super(
          () -> {
            command.run();
            return null;
          });
      this.due = due;
    }

    @Override
    protected void setException(Throwable failure) {
      throw new AssertionError("a timer's task failed", failure);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(due - nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    Task task = new Task(command, nanos + unit.toNanos(delay));
    tasks.add(task);
    return task;
  }

  @Override
  public void execute(Runnable command) {
    var _ = schedule(command, 0, TimeUnit.NANOSECONDS);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  /** Runs until the end of the test, and cannot be cancelled. */
  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    return schedule(
        () -> {
          command.run();
          var _ = scheduleWithFixedDelay(command, delay, delay, unit);
        },
        initialDelay,
        unit);
  }

  @Override
  public void shutdown() {}

  @Override
  public List<Runnable> shutdownNow() {
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return false;
  }

  @Override
  public <T> List<Future<T>> invokeAll(Collection<? extends Callable<T>> callables) {
    throw new UnsupportedOperationException();
  }
}
