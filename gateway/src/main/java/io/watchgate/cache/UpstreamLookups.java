package io.watchgate.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What can be found out upstream, beside the watch, for those whose position the cache cannot
 * judge. Thread-safe; nothing blocks, and each question is asked once for all who have it at a
 * time. Stages complete on any thread, and always normally.
 */
public interface UpstreamLookups {
  /** Of a cache without upstream, or one that has ended: nothing can be found out. */
  UpstreamLookups NONE =
      new UpstreamLookups() {
        @Override
        public CompletionStage<Progress> progress() {
          return CompletableFuture.completedStage(new Unknown("there is nobody to ask"));
        }

        @Override
        public CompletionStage<Boolean> reachBack(ResourceVersion version) {
          return CompletableFuture.completedStage(false);
        }
      };

  /** Where the apiserver is. */
  sealed interface Progress {
    /** Whether the version is known to be there, so that the cache comes to it soon. */
    default boolean has(ResourceVersion version) {
      return this instanceof At(ResourceVersion at) && !version.isAfter(at);
    }
  }

  /** It has come to this version; the cache, if it is behind, does so soon. */
  record At(ResourceVersion version) implements Progress {}

  /** It did not answer. */
  record Unknown(String why) implements Progress {}

  /** Asks the apiserver how far it has come; the request begins after this call. */
  CompletionStage<Progress> progress();

  /**
   * The same for a caller that would give up {@code wanted} if the apiserver has not come to it: an
   * answer that says so is asked for twice, a second apart over two connections.
   */
  default CompletionStage<Progress> progress(ResourceVersion wanted) {
    return progress();
  }

  /**
   * Fetches the past back to {@code version}, which lies before {@link WatchCache#oldest}; false if
   * that cannot be had. If it can, the cache has it already.
   */
  CompletionStage<Boolean> reachBack(ResourceVersion version);
}
