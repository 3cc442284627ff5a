package io.watchgate.http;

import io.watchgate.cache.WatchCache;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the watches that are given to it, on one thread of its own. What it holds, and everything of
 * its watches, is touched only there. A cache that has news raises one flag per loop and posts one
 * task; the writer never walks watches.
 */
final class WatchLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WatchLoop.class);
  private static final int SCRATCH_BYTES = 80 << 10;

  private final ScheduledThreadPoolExecutor thread;
  private final Map<WatchCache, Members> members = new HashMap<>();
  private ByteBuilder scratch = new ByteBuilder(SCRATCH_BYTES);

  WatchLoop(int number) {
    thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("http-watch-" + number).daemon(true).factory());
    thread.setRemoveOnCancelPolicy(true);
    // What the transport still reports once all is over concerns nobody.
    thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
  }

  /** The watches of one cache. */
  private final class Members implements Runnable {
    final List<HttpWatch> watches = new ArrayList<>();
    final AtomicBoolean dirty = new AtomicBoolean();
    private int start;

    /** On the writer's thread. */
    @Override
    public void run() {
      if (dirty.compareAndSet(false, true)) {
        execute(this::wakeAll);
      }
    }

    private void wakeAll() {
      dirty.set(false); // before looking, so that what comes meanwhile is seen by the next round
      List<HttpWatch> now = new ArrayList<>(watches); // a turn may end a watch
      if (!now.isEmpty()) {
        start = (start + 1) % now.size(); // nobody is always first
        Collections.rotate(now, -start);
        now.forEach(watch -> guarded(watch, watch::turn));
      }
    }
  }

  /** Whatever goes wrong with one watch ends that one. */
  private static void guarded(HttpWatch watch, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("a watch failed", e);
      watch.end(e);
    }
  }

  private void execute(Runnable task) {
    thread.execute(task);
  }

  // The executor keeps what a task throws to itself: a watch would be silent for ever.

  void execute(HttpWatch watch, Runnable task) {
    thread.execute(() -> guarded(watch, task));
  }

  Future<?> after(Duration delay, HttpWatch watch, Runnable task) {
    return thread.schedule(() -> guarded(watch, task), delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  Future<?> every(Duration interval, HttpWatch watch, Runnable task) {
    return thread.scheduleWithFixedDelay(
        () -> guarded(watch, task), interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** To build one write in, and to copy it from. */
  ByteBuilder scratch() {
    if (scratch.array().length > 1 << 20) {
      scratch = new ByteBuilder(SCRATCH_BYTES); // one large object shall not stay
    }
    scratch.clear();
    return scratch;
  }

  void join(WatchCache cache, HttpWatch watch) {
    Members joined = members.get(cache);
    if (joined == null) {
      joined = new Members();
      members.put(cache, joined);
      cache.addListener(joined);
    }
    joined.watches.add(watch);
  }

  void leave(WatchCache cache, HttpWatch watch) {
    Members left = members.get(cache);
    if (left != null && left.watches.remove(watch) && left.watches.isEmpty()) {
      members.remove(cache);
      cache.removeListener(left);
    }
  }

  /** Ends all watches cleanly. */
  void finishAll() {
    execute(
        () ->
            members.values().stream()
                .flatMap(each -> each.watches.stream())
                .toList()
                .forEach(watch -> guarded(watch, watch::finish)));
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
