package io.watchgate.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Asynchronous lookups upstream, beside the watch, for streams whose position the cache cannot
 * judge. Thread-safe; nothing blocks, and concurrent requests for the same lookup share one answer.
 * Stages complete on any thread, and always normally.
 */
public interface UpstreamLookups {
  /** Lookups of a cache without upstream: always without result. */
  UpstreamLookups NONE =
      new UpstreamLookups() {
        @Override
        public CompletionStage<Progress> requestProgress() {
          return CompletableFuture.completedStage(
              new Unknown("this cache has no connection to an apiserver"));
        }

        @Override
        public CompletionStage<Boolean> backfill(ResourceVersion version) {
          return CompletableFuture.completedStage(false);
        }
      };

  /** Position of the apiserver. */
  sealed interface Progress {
    /**
     * Returns whether the apiserver is known to have the version, so that the cache reaches it
     * soon.
     */
    default boolean hasReached(ResourceVersion version) {
      return this instanceof At(ResourceVersion at) && !version.isAfter(at);
    }
  }

  /**
   * Answer with the version that the apiserver has reached; if the cache is behind, it reaches it
   * soon.
   */
  record At(ResourceVersion version) implements Progress {}

  /** Missing answer of the apiserver. */
  record Unknown(String reason) implements Progress {}

  /** Asks the apiserver for its version; the request begins after this call. */
  CompletionStage<Progress> requestProgress();

  /**
   * Like {@link #requestProgress()}, for a caller that gives up {@code wanted} if the apiserver has
   * not reached it. Such an answer is confirmed by a second request, one second later over another
   * connection.
   */
  default CompletionStage<Progress> requestProgress(ResourceVersion wanted) {
    return requestProgress();
  }

  /**
   * Backfills history to {@code version}, which lies before {@link WatchCache#oldest}. The result
   * is true if history contains the version now, false if it is not available.
   */
  CompletionStage<Boolean> backfill(ResourceVersion version);
}
