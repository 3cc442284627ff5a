package io.watchgate.http;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Wait of a request, on its own thread, until a cache has the requested version ({@link
 * HttpSettings#positionWait}).
 */
final class HttpVersionWait {
  private final ResourceCatalog.Source source;
  private final Duration timeout;

  HttpVersionWait(ResourceCatalog.Source source, Duration atMost) {
    this.source = source;
    this.timeout = atMost;
  }

  /**
   * Returns a revision that is as recent as requested.
   *
   * @throws StatusException 429 if there is no state yet, 504 if the version is not reached, both
   *     after the wait
   */
  Revision awaitHead(RequestedVersion version) throws StatusException, InterruptedException {
    return switch (version) {
      case RequestedVersion.Unset unset -> {
        source.refresh();
        yield await(null);
      }
      case RequestedVersion.Any any -> await(null);
      case RequestedVersion.At at -> await(at.version());
    };
  }

  private Revision await(@Nullable ResourceVersion minimum)
      throws StatusException, InterruptedException {
    WatchCache cache = source.cache();
    Semaphore news = new Semaphore(0);
    Runnable listener = news::release;
    cache.addListener(listener);
    try {
      long end = System.nanoTime() + timeout.toNanos();
      while (true) {
        news.drainPermits();
        Revision head = cache.head();
        if (head != null && (minimum == null || !minimum.isAfter(head.version()))) {
          return head;
        }
        boolean over = cache.upstreamState().phase().isEnd();
        if (over || !news.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          throw head == null || minimum == null
              ? StatusErrors.loading()
              : StatusErrors.versionTooLarge(minimum, head.version());
        }
      }
    } finally {
      cache.removeListener(listener);
    }
  }
}
