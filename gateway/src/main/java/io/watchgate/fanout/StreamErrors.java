package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;

/** Why the gateway ends a stream that is none the worse for what it asked. */
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

  /** The budget of the heap is used up; also in place of a stream, and of a page of a list. */
  public static ApiError heapIsFull() {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_MEMORY,
        Duration.ofSeconds(10),
        "this gateway's heap is full: nothing new can begin before something ends. Resume later, or"
            + " at another replica; its operator has to give it a larger heap.");
  }

  static ApiError unread() {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_MEMORY,
        Duration.ofSeconds(10),
        "too much waits to be read, of this stream and of others, and this one was not read at all"
            + " for a while. Resume with the last token, and read.");
  }
}
