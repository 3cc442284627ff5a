package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.WatchCache;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Scheduler of all streams of one event loop, which runs them one at a time. It is confined to one
 * thread, together with all state of its streams. A router marks the feeds that have new frames and
 * requests one task per event loop; it never iterates over streams.
 */
public final class StreamLoop {
  /** Tasks of single streams, for example their start, between two deliveries. */
  private static final int TASKS_BEFORE_DELIVERY = 32;

  /** Streams whose state is read between two deliveries. */
  private static final int SURVEY_SLICE = 128;

  private final int number;
  private final TimeSource time;
  private final FanoutMetrics metrics;
  private final Map<ApiResource, SendCounters> sendCounters = new ConcurrentHashMap<>();
  private final TimerWheel wheel;
  private final Map<WatchCache, CacheStreamSet> cacheStreams = new HashMap<>();
  private final LoopDeliveries deliveries;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final SerialTask taskRunner;
  private final AtomicLong arrived = new AtomicLong();
  private int streamCount;
  private TimerWheel.@Nullable Timer nextCheck;

  /**
   * @param number number of this event loop, for metrics
   * @param thread runs one task at a time, in order
   * @param timer only submits tasks to {@code thread}
   */
  public StreamLoop(
      int number,
      Executor thread,
      ScheduledExecutorService timer,
      TimeSource time,
      FanoutMetrics metrics) {
    this.number = number;
    this.time = time;
    this.metrics = metrics;
    this.wheel = new TimerWheel(thread, timer, time::nanoTime);
    this.deliveries = new LoopDeliveries(thread, this::publishCounters);
    this.taskRunner = new SerialTask(thread, this::runTasks);
  }

  // ---- from any thread

  /**
   * Runs tasks in order, at most {@link #TASKS_BEFORE_DELIVERY} at a time, so that thousands of
   * tasks do not delay a delivery.
   */
  void execute(Runnable task) {
    tasks.add(task);
    taskRunner.schedule();
  }

  /**
   * Passes the state of each stream to the visitor, on the event loop, {@link #SURVEY_SLICE} at a
   * time, so that deliveries continue in between. A stream that opens meanwhile may be missing, and
   * one may be passed twice if another one ends.
   *
   * @return completes after the last one; never if the event loop ends
   */
  public CompletableFuture<Void> survey(Consumer<StreamState> visitor) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    execute(() -> new Survey(new ArrayDeque<>(cacheStreams.values()), visitor, end).run());
    return end;
  }

  /** Survey in progress. Its tasks are queued one after the other. */
  private final class Survey implements Runnable {
    private final Deque<CacheStreamSet> left;
    private final Consumer<StreamState> visitor;
    private final CompletableFuture<Void> end;

    /** Number of the streams of the first type that are left. */
    private int streamsLeft = Integer.MAX_VALUE;

    Survey(Deque<CacheStreamSet> left, Consumer<StreamState> visitor, CompletableFuture<Void> end) {
      this.left = left;
      this.visitor = visitor;
      this.end = end;
    }

    @Override
    public void run() {
      try {
        visitSlice();
      } catch (RuntimeException e) {
        end.completeExceptionally(e);
      }
    }

    private void visitSlice() {
      CacheStreamSet some = left.peek();
      if (some == null) {
        end.complete(null);
        return;
      }
      // From the end: a stream that ends is replaced by the last one, which was visited already.
      int to = Math.min(streamsLeft, some.size());
      int from = Math.max(0, to - SURVEY_SLICE);
      some.survey(from, to, visitor);
      streamsLeft = from;
      if (from == 0) {
        left.remove();
        streamsLeft = Integer.MAX_VALUE;
      }
      execute(this);
    }
  }

  /**
   * Returns the counters of a type. Callable from any thread. The counters themselves are used on
   * the event loop only.
   */
  SendCounters sendCounters(ApiResource type) {
    return sendCounters.computeIfAbsent(type, counted -> new SendCounters(counted, time, metrics));
  }

  /**
   * Returns the number of a stream in the order in which the streams of this event loop are served:
   * by connection, so that one write has the responses of all streams of a connection, then by
   * arrival. Take it when the call arrives, because the checks that precede the stream may end in
   * any order. Callable from any thread.
   *
   * @param connection number of the connection; only its lowest 31 bits count
   */
  public long servingOrder(long connection) {
    return (connection & Integer.MAX_VALUE) << Integer.SIZE
        | (arrived.getAndIncrement() & 0xFFFF_FFFFL);
  }

  // ---- on the event loop's thread

  /** Runs the tasks that are queued now. A task that they queue runs after a delivery. */
  private boolean runTasks() {
    int here = 0;
    for (Iterator<Runnable> seen = tasks.iterator();
        here < TASKS_BEFORE_DELIVERY && seen.hasNext();
        here++) {
      seen.next();
    }
    try {
      for (; here > 0; here--) {
        tasks.remove().run();
      }
      publishCounters();
    } finally {
      if (!tasks.isEmpty()) { // also when one of them threw
        taskRunner.schedule();
      }
    }
    return false;
  }

  private void publishCounters() {
    sendCounters.values().forEach(SendCounters::publish);
  }

  LoopDeliveries deliveries() {
    return deliveries;
  }

  TimerWheel wheel() {
    return wheel;
  }

  /** Returns the streams of a cache; the object is created with the first stream that joins. */
  CacheStreamSet join(WatchCache cache, SubscribedStream stream) {
    CacheStreamSet joined = cacheStreams.get(cache);
    if (joined == null) {
      joined = new CacheStreamSet(cache, number, this, time, metrics);
      cacheStreams.put(cache, joined);
    }
    joined.join(stream);
    streamCount++;
    if (nextCheck == null) {
      nextCheck = wheel.after(SlowReaderSettings.CHECK_INTERVAL, this::checkStreams);
    }
    return joined;
  }

  void leave(CacheStreamSet left, SubscribedStream stream) {
    if (left.leave(stream)) {
      cacheStreams.remove(left.cache());
      left.clearMetrics();
    }
    streamCount--;
    TimerWheel.Timer next = nextCheck;
    if (streamCount == 0 && next != null) {
      next.cancel();
      nextCheck = null;
    }
  }

  /**
   * Checks all streams. A stream that does not read releases its frames and, if necessary, its
   * revision.
   */
  private void checkStreams() {
    nextCheck = wheel.after(SlowReaderSettings.CHECK_INTERVAL, this::checkStreams);
    SlowReaderPolicy.ActiveConnections active = new SlowReaderPolicy.ActiveConnections();
    cacheStreams.values().forEach(some -> some.recordActivity(active));
    for (CacheStreamSet some : new ArrayList<>(cacheStreams.values())) {
      some.checkStreams(active);
    }
    publishCounters();
  }
}
