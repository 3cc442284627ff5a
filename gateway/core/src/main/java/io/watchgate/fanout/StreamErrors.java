package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;

/** Factory of the errors with which the gateway ends a stream whose request was valid. */
public final class StreamErrors {
  private StreamErrors() {}

  static ApiError tooStale(ApiResource type) {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_TOO_STALE,
        Duration.ofSeconds(5),
        "the apiserver has not proved this gateway's knowledge of "
            + type.groupResource()
            + " up to date for longer than max_staleness. Resume elsewhere, or later.");
  }

  /**
   * Returns the error for an exhausted heap budget; also for refused streams and for pages of a
   * list.
   */
  public static ApiError heapFull() {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_MEMORY,
        Duration.ofSeconds(10),
        "this gateway's heap is full: nothing new can begin before something ends. Resume later, or"
            + " at another replica; its operator has to give it a larger heap.");
  }

  static ApiError notReading() {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_MEMORY,
        Duration.ofSeconds(10),
        "too much waits to be read, of this stream and of others, and this one was not read at all"
            + " for a while. Resume with the last token, and read.");
  }
}
