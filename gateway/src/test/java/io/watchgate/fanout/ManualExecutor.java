package io.watchgate.fanout;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** Executor that runs its tasks in order, when the test requests it. */
final class ManualExecutor implements Executor {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  /** Runs the oldest task; returns false if there is none. */
  boolean runOne() {
    Runnable task = tasks.poll();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  /** Runs tasks until none is left, including those added meanwhile. */
  void runAll() {
    for (int i = 0; runOne(); i++) {
      if (i > 1_000_000) {
        throw new AssertionError("the tasks have no end");
      }
    }
  }

  int waiting() {
    return tasks.size();
  }
}
