package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * Counter of watches that failed although the apiserver answers probes. Then the position itself
 * may be the cause, because an object that cannot be encoded or read ends every watch. Not
 * thread-safe.
 */
final class WatchFailureCounter {
  private final TimeSource time;
  private int malformed;
  private int errors;
  private long erringSince;

  WatchFailureCounter(TimeSource time) {
    this.time = time;
  }

  /** Counts a failure. Returns the reason to list again if there are too many, otherwise null. */
  @Nullable ListReason recordFailure(UpstreamFailure failure) {
    if (failure instanceof UpstreamFailure.Malformed) {
      return ++malformed >= WatchFailureSettings.MAX_MALFORMED ? ListReason.MALFORMED : null;
    }
    if (failure instanceof UpstreamFailure.ServerError) {
      if (errors++ == 0) {
        erringSince = time.nanoTime();
      }
      boolean lasts =
          time.nanoTime() - erringSince >= WatchFailureSettings.MIN_ERROR_TIME.toNanos();
      return errors >= WatchFailureSettings.MAX_ERRORS && lasts ? ListReason.ERRORS : null;
    }
    return null;
  }

  void reset() {
    malformed = 0;
    errors = 0;
  }
}
