package io.watchgate.feed;

import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the subscriptions that are given to it, one at a time, in turns. It belongs to one thread:
 * what it holds, and everything of its subscriptions, is touched only there. A cache that has news
 * raises one flag per owner and posts one task; the writer never walks subscriptions.
 */
public final class Owner {
  private final Executor thread;
  private final ScheduledExecutorService timer;
  private final int number;
  private final FeedMetrics metrics;
  private final Map<WatchCache, Members> members = new HashMap<>();

  /**
   * @param number of this owner among its like, for metrics
   * @param thread runs one task at a time, in order
   * @param timer only passes on to {@code thread}
   */
  public Owner(int number, Executor thread, ScheduledExecutorService timer, FeedMetrics metrics) {
    this.number = number;
    this.metrics = metrics;
    this.thread = thread;
    this.timer = timer;
  }

  /** The subscriptions of one cache. */
  private final class Members implements Runnable {
    final WatchCache cache;
    final List<Subscription> subscriptions = new ArrayList<>();
    final AtomicBoolean dirty = new AtomicBoolean();
    private int start;

    Members(WatchCache cache) {
      this.cache = cache;
    }

    /** On the writer's thread. */
    @Override
    public void run() {
      if (dirty.compareAndSet(false, true)) {
        thread.execute(this::wakeAll);
      }
    }

    private void wakeAll() {
      dirty.set(false); // before looking, so that what comes meanwhile is seen by the next round
      List<Subscription> now = new ArrayList<>(subscriptions); // a turn may end a subscription
      if (now.isEmpty()) {
        return;
      }
      start = (start + 1) % now.size(); // nobody is always first
      Collections.rotate(now, -start);
      now.forEach(Subscription::turn);
      measure(now);
    }

    private void measure(List<Subscription> readers) {
      Revision head = cache.head();
      if (head == null) {
        return;
      }
      long events = 0;
      long bytes = 0;
      for (Subscription reader : readers) {
        Revision standing = reader.standing();
        if (standing != null) {
          events = Math.max(events, head.events() - standing.events());
          bytes = Math.max(bytes, head.superseded() - standing.superseded());
        }
      }
      metrics.behind(cache.definition().type(), number, events, bytes);
    }

    /** The last one left: nobody is behind any more. */
    void end() {
      metrics.behind(cache.definition().type(), number, 0, 0);
    }
  }

  void execute(Runnable task) {
    thread.execute(task);
  }

  ScheduledFuture<?> schedule(Duration delay, Runnable task) {
    return timer.schedule(() -> thread.execute(task), delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  void join(WatchCache cache, Subscription subscription) {
    Members joined = members.get(cache);
    if (joined == null) {
      joined = new Members(cache);
      members.put(cache, joined);
      cache.addListener(joined);
    }
    joined.subscriptions.add(subscription);
  }

  void leave(WatchCache cache, Subscription subscription) {
    Members left = members.get(cache);
    if (left != null && left.subscriptions.remove(subscription) && left.subscriptions.isEmpty()) {
      members.remove(cache);
      cache.removeListener(left);
      left.end();
    }
  }
}
