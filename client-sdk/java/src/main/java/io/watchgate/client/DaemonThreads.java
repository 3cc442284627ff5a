package io.watchgate.client;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Factory of daemon threads, which do not keep the process alive. */
final class DaemonThreads implements ThreadFactory {
  private final String name;
  private final AtomicInteger count = new AtomicInteger();

  private DaemonThreads(String name) {
    this.name = name;
  }

  static ThreadFactory named(String name) {
    return new DaemonThreads(name);
  }

  @Override
  public Thread newThread(Runnable task) {
    Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }
}
