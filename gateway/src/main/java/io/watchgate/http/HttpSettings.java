package io.watchgate.http;

import java.time.Duration;

/**
 * The waits and bounds of a server.
 *
 * @param bookmarkInterval how often a watch that asked for bookmarks gets one; an apiserver's 60 s
 * @param watchTimeout how long a watch lasts that names no timeout, at least; at most twice that.
 *     An apiserver's 30 min
 * @param positionWait how long a read waits for a version that is not held yet; an apiserver's 3 s
 * @param idleTimeout how long a connection without a request, a request that does not arrive, or a
 *     response that is not read may stand still; an apiserver's 90 s. Watches that have nothing to
 *     say are not concerned
 * @param maxBodyBytes what a request may carry; an apiserver's 3 MiB
 * @param maxWatches open at one time; beyond it a watch is refused with 429
 */
public record HttpSettings(
    Duration bookmarkInterval,
    Duration watchTimeout,
    Duration positionWait,
    Duration idleTimeout,
    int maxBodyBytes,
    int maxWatches) {

  public static final HttpSettings DEFAULT =
      new HttpSettings(
          Duration.ofSeconds(60),
          Duration.ofMinutes(30),
          Duration.ofSeconds(3),
          Duration.ofSeconds(90),
          3 << 20,
          10_000);

  public HttpSettings withBookmarkInterval(Duration interval) {
    return new HttpSettings(
        interval, watchTimeout, positionWait, idleTimeout, maxBodyBytes, maxWatches);
  }

  public HttpSettings withWatchTimeout(Duration timeout) {
    return new HttpSettings(
        bookmarkInterval, timeout, positionWait, idleTimeout, maxBodyBytes, maxWatches);
  }

  public HttpSettings withPositionWait(Duration wait) {
    return new HttpSettings(
        bookmarkInterval, watchTimeout, wait, idleTimeout, maxBodyBytes, maxWatches);
  }

  public HttpSettings withIdleTimeout(Duration timeout) {
    return new HttpSettings(
        bookmarkInterval, watchTimeout, positionWait, timeout, maxBodyBytes, maxWatches);
  }

  public HttpSettings withMaxWatches(int count) {
    return new HttpSettings(
        bookmarkInterval, watchTimeout, positionWait, idleTimeout, maxBodyBytes, count);
  }
}
