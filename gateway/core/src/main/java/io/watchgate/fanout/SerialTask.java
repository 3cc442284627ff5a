package io.watchgate.fanout;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Task that runs on an executor, a pool or an event loop, on request and never twice at the same
 * time. Any number of requests while it is queued lead to one run. Thread-safe.
 */
final class SerialTask implements Runnable {
  private final Executor executor;
  private final BooleanSupplier work;

  /** Number of requests since the last run began; 0: the task neither runs nor is queued. */
  private final AtomicInteger requests = new AtomicInteger();

  /**
   * @param work does a bounded piece and returns whether there is more; an exception ends only that
   *     piece
   */
  SerialTask(Executor executor, BooleanSupplier work) {
    this.executor = executor;
    this.work = work;
  }

  void schedule() {
    if (requests.getAndIncrement() == 0) {
      executor.execute(this);
    }
  }

  @Override
  public void run() {
    int seen = requests.get();
    boolean more = false;
    try {
      more = work.getAsBoolean();
    } finally {
      if (more || requests.addAndGet(-seen) > 0) {
        executor.execute(this); // queued behind the tasks of others
      }
    }
  }
}
