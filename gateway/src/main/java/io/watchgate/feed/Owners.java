package io.watchgate.feed;

import io.watchgate.cache.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The owners of all subscriptions: a fixed number of threads, among which streams are dealt in
 * turn. Thread-safe.
 */
public final class Owners implements AutoCloseable {
  private final List<ExecutorService> threads = new ArrayList<>();
  private final List<Owner> owners = new ArrayList<>();
  private final AtomicInteger dealt = new AtomicInteger();

  /**
   * @param count how many threads; as many as there are cores
   * @param timer shared by all; only passes tasks on
   */
  public Owners(int count, ScheduledExecutorService timer, TimeSource time, FeedMetrics metrics) {
    for (int i = 0; i < count; i++) {
      ExecutorService thread =
          new ThreadPoolExecutor(
              1,
              1,
              0,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              Thread.ofPlatform().daemon().name("owner-" + i).factory(),
              // Once closed, the news of a reflector that ends finds nobody who could use it.
              new ThreadPoolExecutor.DiscardPolicy());
      threads.add(thread);
      owners.add(new Owner(i, thread, timer, time, metrics));
    }
  }

  public Owner next() {
    return owners.get(Math.floorMod(dealt.getAndIncrement(), owners.size()));
  }

  /** Ends the threads once what they have to do is done. */
  @Override
  public void close() {
    threads.forEach(ExecutorService::shutdown);
  }
}
