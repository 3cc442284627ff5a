package io.watchgate.client;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Scheduler on the system clock, with one daemon thread. */
final class SystemScheduler implements Scheduler, AutoCloseable {
  private final ScheduledThreadPoolExecutor thread;

  SystemScheduler() {
    thread = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("watchgate-client-timer"));
    thread.setRemoveOnCancelPolicy(true);
    // A call that is being closed may still schedule a timer; after close, timers are ignored.
    thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Runnable schedule(Duration delay, Runnable task) {
    Future<?> future = thread.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
