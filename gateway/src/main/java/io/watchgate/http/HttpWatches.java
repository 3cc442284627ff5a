package io.watchgate.http;

import io.watchgate.cache.TypeDefinition;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;

/** Opens watches, as many as there may be, and spreads them over the loops. Thread-safe. */
final class HttpWatches implements AutoCloseable {
  private static final int MAX_LOOPS = 4;

  /** What 64 bits of nanoseconds hold. */
  private static final Duration MAX_TIMEOUT = Duration.ofNanos(Long.MAX_VALUE);

  /** How long the last bytes of open watches may take when the server ends. */
  private static final Duration FAREWELL = Duration.ofSeconds(1);

  private final HttpSettings settings;
  private final Semaphore free;
  private final List<WatchLoop> loops = new ArrayList<>();
  private final AtomicInteger opened = new AtomicInteger();
  private volatile boolean over;

  HttpWatches(HttpSettings settings) {
    this.settings = settings;
    this.free = new Semaphore(settings.maxWatches());
    int count = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_LOOPS);
    for (int i = 0; i < count; i++) {
      loops.add(new WatchLoop(i));
    }
  }

  /**
   * Answers a watch. It may wait for its start, then it holds no thread.
   *
   * @param source closed in the end, whatever happens
   */
  void open(
      TypeDefinition definition,
      ListOptions options,
      ObjectFilter filter,
      ObjectEncoder form,
      ResourceCatalog.Source source,
      Exchange exchange)
      throws StatusException, InterruptedException {
    if (!free.tryAcquire()) {
      source.close();
      tooMany(exchange);
      return;
    }
    boolean handedOver = false;
    try {
      HttpWatchStart start = start(options, source);
      switch (start) {
        case HttpWatchStart.Refused(StatusException refusal) -> {
          ByteBuilder out = new ByteBuilder(512);
          WatchFrameWriter.error(refusal, out);
          exchange.begin(200);
          exchange.response().write(true, out.asBuffer(), exchange.callback());
        }
        case HttpWatchStart.Over over -> {
          exchange.begin(200);
          exchange.response().write(true, ByteBuffer.allocate(0), exchange.callback());
        }
        case HttpWatchStart.Position position -> {
          exchange.begin(200);
          WatchFrameWriter frames = new WatchFrameWriter(definition, form);
          WatchCursor at =
              new WatchCursor(source.cache(), filter, frames, options.bookmarks(), position);
          begin(at, timeout(options), source, exchange);
          handedOver = true;
        }
      }
    } finally {
      if (!handedOver) {
        source.close();
        free.release();
      }
    }
  }

  private HttpWatchStart start(ListOptions options, ResourceCatalog.Source source)
      throws StatusException, InterruptedException {
    RequestedVersion version = RequestedVersion.ofGetOrWatch(options.resourceVersion());
    if (timeout(options).isNegative()) {
      return HttpWatchStart.Over.OVER;
    }
    return HttpWatchStart.find(
        options, version, source.cache(), new HttpVersionWait(source, settings.positionWait()));
  }

  private void begin(
      WatchCursor position, Duration timeout, ResourceCatalog.Source source, Exchange exchange) {
    WatchLoop loop = loops.get(Math.floorMod(opened.getAndIncrement(), loops.size()));
    HttpWatch watch =
        new HttpWatch(
            loop,
            exchange,
            source.cache(),
            position,
            () -> {
              source.close();
              free.release();
            });
    loop.execute(watch, () -> watch.begin(timeout, settings.bookmarkInterval()));
  }

  /** As the apiserver: chosen at random where none is named, so that not all end at once. */
  private Duration timeout(ListOptions options) {
    long seconds = options.timeoutSeconds();
    if (seconds == 0) {
      long least = settings.watchTimeout().toNanos();
      return Duration.ofNanos(ThreadLocalRandom.current().nextLong(least, 2 * least));
    }
    // Beyond that an apiserver's own arithmetic overflows, and the watch ends at once.
    return seconds < 0 || seconds > MAX_TIMEOUT.toSeconds()
        ? Duration.ofSeconds(-1)
        : Duration.ofSeconds(seconds);
  }

  private static void tooMany(Exchange exchange) {
    exchange.response().getHeaders().put(HttpHeader.RETRY_AFTER, 1);
    exchange.text(429, "Too many requests, please try again later.\n");
  }

  /** Ends all cleanly, and opens none any more. Waits for their last bytes, but not long. */
  void finish() {
    loops.forEach(WatchLoop::finishAll);
    await();
  }

  /** Gives up the threads. To be called when the transport has failed what was still open. */
  @Override
  public void close() {
    await();
    loops.forEach(WatchLoop::close);
  }

  private void await() {
    try {
      // All that are free are all there are; none is given back.
      over =
          over || free.tryAcquire(settings.maxWatches(), FAREWELL.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
