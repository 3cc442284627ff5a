package io.watchgate.client;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Thread pool of a client: daemon threads, as many as there are running tasks. Thread-safe. */
final class ClientThreads implements Executor {
  private static final int IDLE_SECONDS = 30;

  private final Set<Thread> running = ConcurrentHashMap.newKeySet();
  private final ThreadPoolExecutor pool;

  ClientThreads() {
    ThreadFactory daemons = DaemonThreads.named("watchgate-client");
    pool =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            task -> daemons.newThread(() -> run(task)),
            // Tasks submitted after the end belong to calls whose listeners are not called any
            // more.
            new ThreadPoolExecutor.DiscardPolicy());
  }

  private void run(Runnable task) {
    running.add(Thread.currentThread());
    try {
      task.run();
    } finally {
      running.remove(Thread.currentThread());
    }
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
  }

  boolean isOwnThread(Thread thread) {
    return running.contains(thread);
  }

  /** Lets running tasks finish and waits for them; interrupts those that have not at the end. */
  void shutdown(long deadlineNanos) throws InterruptedException {
    pool.shutdown();
    if (!pool.awaitTermination(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      pool.shutdownNow();
    }
  }
}
