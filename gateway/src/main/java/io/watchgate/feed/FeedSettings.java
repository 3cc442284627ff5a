package io.watchgate.feed;

import java.time.Duration;

/**
 * Waits and limits that are the same for all streams.
 *
 * @param positionWait how long a stream waits for a position that the cache has not reached
 *     (watch.proto: 3 s), then BEHIND
 * @param loadingPatience how long a stream waits for a type while the apiserver does not answer,
 *     then UPSTREAM_UNAVAILABLE
 * @param maxFeeds how many different selections and projections are served at a time
 */
public record FeedSettings(Duration positionWait, Duration loadingPatience, int maxFeeds) {
  public static final FeedSettings DEFAULTS =
      new FeedSettings(Duration.ofSeconds(3), Duration.ofSeconds(30), 50_000);
}
