package io.watchgate.client;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Runs tasks one after another on a shared executor: the owner of one {@link WatchCall}. Each task
 * happens before the next. The queue is short by the way it is used: few responses are asked for at
 * a time, and timers are few.
 */
final class SerialExecutor implements Executor {
  private final Executor executor;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean running;

  SerialExecutor(Executor executor) {
    this.executor = executor;
  }

  @Override
  public void execute(Runnable task) {
    synchronized (tasks) {
      tasks.add(task);
      if (running) {
        return;
      }
      running = true;
    }
    try {
      executor.execute(this::run);
    } catch (RuntimeException | Error e) {
      synchronized (tasks) {
        running = false; // the task waits for the next one, which asks again
      }
      throw e;
    }
  }

  private void run() {
    while (true) {
      Runnable task;
      synchronized (tasks) {
        task = tasks.poll();
        if (task == null) {
          running = false;
          return;
        }
      }
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        // The owner must outlive one bad task; the thread's handler is told.
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      }
    }
  }
}
