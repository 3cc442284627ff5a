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
 * Event loop of watches, on one thread of its own. All its state, and all state of its watches, is
 * confined to this thread. A change of a cache sets one flag per loop and posts one task; the
 * cache's writer never iterates over watches.
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
    // After the end, callbacks of the transport are dropped.
    thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
  }

  /** Watches of one cache. */
  private final class Members implements Runnable {
    final List<HttpWatch> watches = new ArrayList<>();
    final AtomicBoolean dirty = new AtomicBoolean();
    private int start;

    /** Called on the writer's thread. */
    @Override
    public void run() {
      if (dirty.compareAndSet(false, true)) {
        thread.execute(this::wakeAll);
      }
    }

    private void wakeAll() {
      dirty.set(false); // before the iteration, so that a change meanwhile posts the next task
      List<HttpWatch> now = new ArrayList<>(watches); // a watch may end during its task
      if (!now.isEmpty()) {
        start = (start + 1) % now.size(); // no watch is always first
        Collections.rotate(now, -start);
        now.forEach(watch -> runGuarded(watch, watch::writePending));
      }
    }
  }

  /** Ends only the watch whose task fails. */
  private static void runGuarded(HttpWatch watch, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("a watch failed", e);
      watch.end(e);
    }
  }

  // The executor swallows exceptions of a task: the watch would never send again.

  void execute(HttpWatch watch, Runnable task) {
    thread.execute(() -> runGuarded(watch, task));
  }

  Future<?> after(Duration delay, HttpWatch watch, Runnable task) {
    return thread.schedule(() -> runGuarded(watch, task), delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  Future<?> every(Duration interval, HttpWatch watch, Runnable task) {
    return thread.scheduleWithFixedDelay(
        () -> runGuarded(watch, task),
        interval.toNanos(),
        interval.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  /** Returns a buffer to build one write in, and to copy it from. */
  ByteBuilder scratch() {
    if (scratch.array().length > 1 << 20) {
      scratch = new ByteBuilder(SCRATCH_BYTES); // do not keep a large buffer for one large object
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
    thread.execute(
        () ->
            members.values().stream()
                .flatMap(each -> each.watches.stream())
                .toList()
                .forEach(watch -> runGuarded(watch, watch::finish)));
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
