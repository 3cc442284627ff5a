package io.watchgate.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.slf4j.LoggerFactory;

/**
 * Executor that runs the tasks of one {@link WatchCall} one after another on a shared executor.
 * Each task happens before the next. The queue stays short because few responses are requested at a
 * time and timers are few.
 */
final class SerialExecutor implements Executor {
  private static final Duration RETRY_DELAY = Duration.ofMillis(100);

  private final Executor executor;
  private final Scheduler timers;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean running;

  /** True while a thread takes tasks from the queue; the shared executor may drop a run. */
  private boolean isDraining;

  private boolean isRetryScheduled;

  /** True from the first rejection to the next run, so that only the first rejection is logged. */
  private boolean isRejected;

  SerialExecutor(Executor executor, Scheduler timers) {
    this.executor = executor;
    this.timers = timers;
  }

  /**
   * Queues the task. Never throws: if the shared executor rejects the task, the task waits and is
   * submitted again.
   */
  @Override
  public void execute(Runnable task) {
    synchronized (tasks) {
      tasks.add(task);
    }
    begin();
  }

  private void begin() {
    synchronized (tasks) {
      if (running || tasks.isEmpty()) {
        return;
      }
      running = true;
    }
    try {
      executor.execute(this::run);
    } catch (RuntimeException | Error e) {
      onRejected(e);
    }
  }

  private void onRejected(Throwable cause) {
    boolean isFirst;
    synchronized (tasks) {
      running = false;
      isFirst = !isRejected;
      isRejected = true;
      if (isRetryScheduled) {
        return;
      }
      isRetryScheduled = true;
    }
    if (isFirst) {
      LoggerFactory.getLogger(SerialExecutor.class)
          .warn("The client's executor rejected a task; retrying", cause);
    }
    timers.schedule(RETRY_DELAY, this::retry);
  }

  private void retry() {
    synchronized (tasks) {
      isRetryScheduled = false;
    }
    begin();
  }

  /**
   * Queues the task and runs the queue on this thread, for a shared executor that has ended and
   * drops what it is given. If another thread runs the queue already, that thread runs the task.
   */
  void runHere(Runnable task) {
    synchronized (tasks) {
      tasks.add(task);
    }
    run();
  }

  private void run() {
    synchronized (tasks) {
      if (isDraining) {
        return;
      }
      isDraining = true;
    }
    while (true) {
      Runnable task;
      synchronized (tasks) {
        task = tasks.poll();
        isRejected = false;
        if (task == null) {
          running = false;
          isDraining = false;
          return;
        }
      }
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        // The queue must continue after a failed task; the failure goes to the thread's handler.
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      }
    }
  }
}
