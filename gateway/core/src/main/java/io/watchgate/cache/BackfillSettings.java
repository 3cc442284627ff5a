package io.watchgate.cache;

import java.time.Duration;

/** Limits of a {@link Backfill}, of history from before the start of this gateway. */
final class BackfillSettings {
  /**
   * On a quiet type the end is reached with the bookmark that the apiserver sends one to three
   * seconds before the end of the watch. An apiserver without bookmarks cannot prove that nothing
   * is missing.
   */
  static final Duration WATCH_DURATION = Duration.ofSeconds(4);

  /** Maximum number of watches: a busy type with a long history to fetch may need more than one. */
  static final int MAX_WATCHES = 6;

  /**
   * Maximum number of watches if none has sent a bookmark: a busy apiserver may be too late with
   * the first one, and some types, such as events, have none.
   */
  static final int MAX_WITHOUT_BOOKMARK = 2;

  /** Pause after a failure: an apiserver without that history is not asked again at once. */
  static final Duration RETRY_PAUSE = Duration.ofSeconds(30);

  /** If the apiserver asks for a longer wait than the first pause, the backfill is given up. */
  static final Duration MAX_RETRY_AFTER = Duration.ofSeconds(1);

  /** Time that thousands of streams that reconnect at once may need to catch up. */
  static final Duration RETENTION = Duration.ofMinutes(1);

  /** Clients of one reconnect storm arrive within about this time. */
  static final Duration COLLECTION_TIME = Duration.ofSeconds(1);

  /**
   * Maximum number of requests of streams that wait for a backfill. Streams that have ended count
   * until their answer, so that clients that reconnect in a loop cannot fill the heap.
   */
  static final int MAX_REQUESTS = 100_000;

  /** Maximum number of versions that are tried while one request waits. */
  static final int MAX_VERSIONS = 4;

  /**
   * Maximum number of requests for one version while the apiserver does not answer: 7 s of waits in
   * all.
   */
  static final int MAX_ATTEMPTS = 4;

  private BackfillSettings() {}
}
