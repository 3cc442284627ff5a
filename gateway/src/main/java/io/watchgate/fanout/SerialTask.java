package io.watchgate.fanout;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Work that runs on a pool whenever it is asked for, never twice at a time. However often it is
 * asked for while it waits, it runs once. Thread-safe.
 */
final class SerialTask implements Runnable {
  private final Executor executor;
  private final BooleanSupplier work;

  /** How often it was asked for since it last began; 0: it neither runs nor waits. */
  private final AtomicInteger asked = new AtomicInteger();

  /**
   * @param work does a bounded piece and says whether there is more; what it throws ends that piece
   *     alone
   */
  SerialTask(Executor executor, BooleanSupplier work) {
    this.executor = executor;
    this.work = work;
  }

  void ask() {
    if (asked.getAndIncrement() == 0) {
      executor.execute(this);
    }
  }

  @Override
  public void run() {
    int seen = asked.get();
    boolean more = false;
    try {
      more = work.getAsBoolean();
    } finally {
      if (more || asked.addAndGet(-seen) > 0) {
        executor.execute(this); // behind what others have to do
      }
    }
  }
}
