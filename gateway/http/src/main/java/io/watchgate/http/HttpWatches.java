package io.watchgate.http;

import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeLease;
import io.watchgate.encode.ByteSlices;
import io.watchgate.error.ApiException;
import io.watchgate.fanout.GoingAwayNotice;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.fanout.Subscription;
import io.watchgate.fanout.UserResources;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.util.Attributes;
import org.jspecify.annotations.Nullable;

/**
 * Registry of the open watches. It limits their number ({@link HttpSettings#maxWatches}) and
 * distributes them over the loops. Thread-safe.
 */
final class HttpWatches implements AutoCloseable {
  private static final int MAX_LOOPS = 4;

  /** Attribute of a connection. */
  private static final String LOOP = Loop.class.getName();

  /** Time for the last bytes of open watches when the server ends. */
  static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  private final HttpSettings settings;
  private final WatchFanout fanout;
  private final TimeSource time;
  private final Semaphore free;
  private final List<Loop> loops = new ArrayList<>();
  private final AtomicInteger opened = new AtomicInteger();
  private volatile boolean finishing;

  HttpWatches(HttpSettings settings, WatchFanout fanout, TimeSource time) {
    this.settings = settings;
    this.fanout = fanout;
    this.time = time;
    this.free = new Semaphore(settings.maxWatches());
    int count = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_LOOPS);
    for (int i = 0; i < count; i++) {
      loops.add(new Loop(fanout.firstLoop() + i, settings.bookmarkInterval()));
    }
  }

  /** Returns whether there is room for another watch; if there is, it has to be opened. */
  boolean tryAcquire() {
    return !finishing && free.tryAcquire();
  }

  /** Gives back the room of a watch that was not opened. */
  void release() {
    free.release();
  }

  /**
   * Watch to open.
   *
   * @param user resources of its user
   * @param columns column definitions that its first frame gets; null for other formats than tables
   */
  record Opening(
      Subscription.Request request,
      UserResources user,
      @Nullable ByteSlices columns,
      Duration timeout,
      HttpWatchListener listener) {}

  /**
   * Opens a watch, after {@link #tryAcquire}.
   *
   * @param type is closed in every case, at the end of the watch or of this call
   * @throws ApiException QUOTA if there are too many feeds
   */
  HttpWatch open(Opening opening, TypeLease type, ApiExchange exchange) throws ApiException {
    Loop loop = loop(exchange.request().getConnectionMetaData());
    HttpWatch watch =
        new HttpWatch(exchange, loop, opening.columns, opening.listener, free::release);
    Subscription subscription =
        new Subscription(
            new Subscription.Environment(
                loop.streams,
                loop.streams.servingOrder(0),
                fanout.routers(),
                opening.user,
                fanout.settings(),
                time,
                fanout.metrics()),
            type,
            opening.request,
            watch);
    watch.attach(subscription);
    loop.execute(() -> watch.open(opening.timeout));
    return watch;
  }

  /**
   * Returns the loop of a connection, which all of its watches share: what they send at a time
   * leaves in one write.
   */
  private Loop loop(Attributes connection) {
    synchronized (connection) { // its first watches may be opened at the same time
      if (connection.getAttribute(LOOP) instanceof Loop loop) {
        return loop;
      }
      Loop loop = loops.get(Math.floorMod(opened.getAndIncrement(), loops.size()));
      connection.setAttribute(LOOP, loop);
      return loop;
    }
  }

  /** Returns the event loops of the watches. */
  List<StreamLoop> streamLoops() {
    return loops.stream().map(loop -> loop.streams).toList();
  }

  /** Returns the number of open watches, and of those that are being opened. */
  int count() {
    return settings.maxWatches() - free.availablePermits();
  }

  /**
   * Ends all watches cleanly, one after the other, once each is at a position.
   *
   * @param delay time before the first
   * @param within time between the first and the last
   */
  void drain(Duration delay, Duration within) {
    for (Loop loop : loops) {
      var _ = loop.after(delay, () -> loop.drain(within));
    }
  }

  /** Waits until no watch is open; returns whether none is. */
  boolean awaitEnd(Duration atMost) throws InterruptedException {
    int all = settings.maxWatches();
    boolean ended = free.tryAcquire(all, atMost.toNanos(), TimeUnit.NANOSECONDS);
    if (ended) {
      free.release(all);
    }
    return ended;
  }

  /**
   * Ends all watches cleanly, and opens no more. Waits until the sockets have taken their last
   * bytes; those of clients that do not read stay.
   *
   * @param atMost longest wait
   */
  void finish(Duration atMost) {
    finishing = true;
    for (Loop loop : loops) {
      loop.execute(
          () ->
              List.copyOf(loop.watches)
                  .forEach(watch -> watch.leaveNow(GoingAwayNotice.draining())));
    }
    awaitEnds(atMost);
  }

  /** Ends the threads. To be called after the transport has closed the remaining watches. */
  @Override
  public void close() {
    awaitEnds(CLOSE_TIMEOUT);
    loops.forEach(Loop::close);
  }

  private void awaitEnds(Duration atMost) {
    try {
      long until = System.nanoTime() + atMost.toNanos();
      if (awaitEnd(atMost)) {
        CountDownLatch sent = new CountDownLatch(loops.size()); // what the last tasks wrote
        loops.forEach(loop -> loop.execute(sent::countDown));
        var _ = sent.await(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Event loop of watches, on one thread of its own, to which its watches are confined. */
  final class Loop implements AutoCloseable {
    /** Larger responses are rare, and keeping one would keep its memory. */
    private static final int MAX_KEPT_BYTES = 64 << 10;

    final StreamLoop streams;
    final Set<HttpWatch> watches = new HashSet<>();
    private final WatchFrameBatch batch = new WatchFrameBatch();
    private final ScheduledThreadPoolExecutor thread;
    private ByteSlices lastResponse = ByteSlices.EMPTY;
    private byte[] lastBytes = {};

    Loop(int number, Duration checkInterval) {
      thread =
          new ScheduledThreadPoolExecutor(
              1, Thread.ofPlatform().name("http-watch-" + number).daemon(true).factory());
      thread.setRemoveOnCancelPolicy(true);
      // After the end, callbacks of the transport are dropped.
      thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
      streams = new StreamLoop(number, this::execute, thread, time, fanout.metrics());
      var _ =
          thread.scheduleWithFixedDelay(
              () -> batch.run(this::checkConnections),
              checkInterval.toNanos(),
              checkInterval.toNanos(),
              TimeUnit.NANOSECONDS);
    }

    private void checkConnections() {
      List.copyOf(watches).forEach(HttpWatch::checkConnection);
    }

    void drain(Duration within) {
      int index = 0;
      for (HttpWatch watch : watches) {
        Duration delay = within.multipliedBy(index).dividedBy(watches.size());
        var _ = after(delay, () -> watch.leave(GoingAwayNotice.draining()));
        index++;
      }
    }

    void execute(Runnable task) {
      thread.execute(() -> batch.run(task));
    }

    Duration idleTimeout() {
      return settings.idleTimeout();
    }

    Future<?> after(Duration delay, Runnable task) {
      return thread.schedule(() -> batch.run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Returns the bytes in one piece, which the watches of a feed share: they are sent the same
     * response one after the other.
     */
    ByteBuffer bytes(ByteSlices response) {
      if (response != lastResponse) {
        byte[] copy = response.toByteArray();
        if (copy.length > MAX_KEPT_BYTES) {
          return ByteBuffer.wrap(copy);
        }
        lastResponse = response;
        lastBytes = copy;
      }
      return ByteBuffer.wrap(lastBytes);
    }

    @Override
    public void close() {
      thread.shutdownNow();
    }
  }
}
