package io.watchgate.cache;

import java.time.Duration;

/**
 * Waits before retries; see {@link FailurePolicy} and {@link Backoff}.
 *
 * @param base upper bound of the first wait after a failure, which doubles; the lower bound is zero
 * @param cap upper bound of the random part of a wait, to which the wait that the server asked for
 *     is added
 * @param markerTimeout timeout of a streaming list; after it the paged list is used instead
 * @param streamingListPause time for which the paged list is used before a streaming list is tried
 *     again
 */
public record BackoffSettings(
    Duration base, Duration cap, Duration markerTimeout, Duration streamingListPause) {
  /**
   * Number of failures in a row after which a failure counts as lasting. If only an administrator
   * can end it, each later wait is at least the cap. Any other one is logged as a warning, once;
   * its waits do not change.
   */
  static final int LASTING_AFTER = 6;

  /**
   * Number of failed streaming lists after which only paged lists are used: servers other than
   * kube-apiserver may fail at streaming lists in many ways.
   */
  static final int STREAMING_ATTEMPTS = 3;

  static final BackoffSettings DEFAULTS =
      new BackoffSettings(
          /* base= */ Duration.ofMillis(500),
          /* cap= */ Duration.ofSeconds(30),
          /* markerTimeout= */ Duration.ofSeconds(60),
          /* streamingListPause= */ Duration.ofHours(1));
}
