package io.watchgate.fanout;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** Runs its tasks, in order, only when told to. */
final class ManualExecutor implements Executor {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  /** Runs the oldest task; false if there is none. */
  boolean runOne() {
    Runnable task = tasks.poll();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  /** Until nothing is left, also of what comes meanwhile. */
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
