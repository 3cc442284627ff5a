package io.watchgate.http;

import io.watchgate.cache.TypeDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;

/**
 * Registry of the open watches. It limits their number ({@link HttpSettings#maxWatches}) and
 * distributes them over the loops. Thread-safe.
 */
final class HttpWatches implements AutoCloseable {
  private static final int MAX_LOOPS = 4;

  /** Longest duration that 64 bits of nanoseconds can hold. */
  private static final Duration MAX_TIMEOUT = Duration.ofNanos(Long.MAX_VALUE);

  /** Time for the last bytes of open watches when the server ends. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  private final HttpSettings settings;
  private final Semaphore free;
  private final List<WatchLoop> loops = new ArrayList<>();
  private final AtomicInteger opened = new AtomicInteger();
  private volatile boolean allEnded;

  HttpWatches(HttpSettings settings) {
    this.settings = settings;
    this.free = new Semaphore(settings.maxWatches());
    int count = Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_LOOPS);
    for (int i = 0; i < count; i++) {
      loops.add(new WatchLoop(i));
    }
  }

  /**
   * Answers a watch. The call may wait for the start of the watch; then the watch uses no thread.
   *
   * @param source is closed in every case, at the end of the watch or of this call
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
          exchange.beginJson(200);
          exchange.response().write(true, out.asBuffer(), exchange.callback());
        }
        case HttpWatchStart.Over over -> exchange.emptyStream();
        case HttpWatchStart.Position position -> {
          exchange.beginJson(200);
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
    RequestedVersion version = RequestedVersion.ofGetOrWatch(options.start().resourceVersion());
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

  /**
   * Returns the requested timeout. Without one it is random, as at the apiserver, so that watches
   * do not all end at once.
   */
  private Duration timeout(ListOptions options) {
    long seconds = options.timeoutSeconds();
    if (seconds == 0) {
      long least = settings.watchTimeout().toNanos();
      return Duration.ofNanos(ThreadLocalRandom.current().nextLong(least, 2 * least));
    }
    // Above it an apiserver's arithmetic overflows, and the watch ends at once.
    return seconds < 0 || seconds > MAX_TIMEOUT.toSeconds()
        ? Duration.ofSeconds(-1)
        : Duration.ofSeconds(seconds);
  }

  private static void tooMany(Exchange exchange) {
    exchange.response().getHeaders().put(HttpHeader.RETRY_AFTER, 1);
    exchange.text(429, "Too many requests, please try again later.\n");
  }

  /** Ends all watches cleanly, and opens no more. Waits up to 1 s for their last bytes. */
  void finish() {
    loops.forEach(WatchLoop::finishAll);
    awaitEnds();
  }

  /** Ends the threads. To be called after the transport has closed the remaining watches. */
  @Override
  public void close() {
    awaitEnds();
    loops.forEach(WatchLoop::close);
  }

  private void awaitEnds() {
    try {
      // Takes all permits of the limit once all watches have ended, and returns none.
      allEnded =
          allEnded
              || free.tryAcquire(
                  settings.maxWatches(), CLOSE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
