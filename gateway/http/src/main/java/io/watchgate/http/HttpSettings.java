package io.watchgate.http;

import io.watchgate.fanout.DeliveryDefaults;
import java.time.Duration;

/**
 * Timeouts and limits of a server.
 *
 * @param bookmarkInterval time between the bookmarks of a watch that asked for bookmarks; an
 *     apiserver's 60 s. ListAndWatch has its own, in {@link DeliveryDefaults}
 * @param watchTimeout shortest duration of a watch that names no timeout; the longest is twice
 *     that. An apiserver's 30 min
 * @param idleTimeout longest time without progress of a connection without a request, of a request
 *     that does not arrive, or of a response that is not read; an apiserver's 90 s. It does not
 *     apply to watches without changes
 * @param maxBodyBytes size of a request body; an apiserver's 3 MiB
 * @param maxWatches number of open watches; above it a watch is refused with 429
 */
public record HttpSettings(
    Duration bookmarkInterval,
    Duration watchTimeout,
    Duration idleTimeout,
    int maxBodyBytes,
    int maxWatches) {
  /** Enough for selectors of 4 KiB each, encoded, and the other headers. */
  static final int MAX_HEADER_BYTES = 64 << 10;

  /**
   * Streams of one HTTP/2 connection. Informers of many types share a connection, and a stream
   * above the limit would wait without an error.
   */
  static final int MAX_STREAMS_PER_CONNECTION = 1_000;

  /**
   * Streams that a client may cancel in one second, together with its other control frames of
   * HTTP/2; above it the connection is closed. A program that stops its watches cancels all of them
   * at once, and may begin the same number again.
   */
  static final int MAX_RESETS_PER_SECOND_OF_CONNECTION = 2 * MAX_STREAMS_PER_CONNECTION;

  /** Returns the settings with another limit of open watches. */
  public HttpSettings withMaxWatches(int limit) {
    return new HttpSettings(bookmarkInterval, watchTimeout, idleTimeout, maxBodyBytes, limit);
  }

  public static final HttpSettings DEFAULT =
      new HttpSettings(
          /* bookmarkInterval= */ Duration.ofSeconds(60),
          /* watchTimeout= */ Duration.ofMinutes(30),
          /* idleTimeout= */ Duration.ofSeconds(90),
          /* maxBodyBytes= */ 3 << 20,
          /* maxWatches= */ 10_000);
}
