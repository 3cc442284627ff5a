package io.watchgate.grpc;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamLookups;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.error.UpstreamErrors;
import io.watchgate.fanout.CacheErrors;
import io.watchgate.fanout.FanoutSettings;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Wait of a unary call, on its own thread, until a cache has the requested version. */
final class VersionWait {
  private final WatchCache cache;
  private final FanoutSettings waits;

  /**
   * @param waits timeouts, the same as for a stream
   */
  VersionWait(WatchCache cache, FanoutSettings waits) {
    this.cache = cache;
    this.waits = waits;
  }

  /**
   * Returns the newest revision, once it has reached {@code minimum}. If it is not reached in time,
   * the apiserver is asked for its version. A version of a list, or of another type, may exist
   * without a change of this type.
   *
   * @throws ApiException STARTING or BEHIND after the wait, or at once if there will be no revision
   */
  Revision awaitHead(@Nullable ResourceVersion minimum) throws ApiException, InterruptedException {
    Semaphore news = new Semaphore(0);
    Runnable listener = news::release;
    cache.addListener(listener);
    try {
      long end = System.nanoTime() + waits.positionTimeout().toNanos();
      CompletableFuture<UpstreamLookups.Progress> look = null;
      while (true) {
        news.drainPermits();
        Revision head = cache.head();
        if (head != null && (minimum == null || !minimum.isAfter(head.version()))) {
          return head;
        }
        refuseIfEnded(head);
        if (look != null
            && look.isDone()
            && !(minimum == null || look.join().hasReached(minimum))) {
          throw new ApiException(timedOut(head, minimum));
        }
        if (!news.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          if (head == null || look != null) {
            throw new ApiException(timedOut(head, minimum));
          }
          end = System.nanoTime() + waits.upstreamLookupTimeout().toNanos();
          look = cache.upstreamLookups().requestProgress().toCompletableFuture();
          var _ = look.thenRun(listener);
        }
      }
    } finally {
      cache.removeListener(listener);
    }
  }

  private void refuseIfEnded(@Nullable Revision head) throws ApiException {
    UpstreamState upstream = cache.upstreamState();
    if (upstream.phase().isEnd()) {
      throw new ApiException(CacheErrors.of(cache.definition().type(), upstream));
    }
    UpstreamFailure failure = upstream.failure();
    if (head == null && failure != null) {
      ApiResource type = cache.definition().type();
      throw new ApiException(
          failure.needsAdministrator()
              ? UpstreamErrors.gatewayMayNotList(
                  type.groupResource(), failure.message(), failure.remedy(type))
              : UpstreamErrors.notListed(type.groupResource(), failure.message()));
    }
  }

  private ApiError timedOut(@Nullable Revision head, @Nullable ResourceVersion minimum) {
    String type = cache.definition().type().groupResource();
    return head == null
        ? UpstreamErrors.loading(type)
        : UpstreamErrors.listBehind(String.valueOf(minimum), type, head.version().toString());
  }
}
