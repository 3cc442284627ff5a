package io.watchgate.cache;

import java.time.Duration;

/** Limits after which a watch counts as failed, and failures lead to a list. */
final class WatchFailureSettings {
  /**
   * Shortest watch in which a kube-apiserver sends a bookmark, up to three seconds before the end.
   */
  static final Duration BRIEF_DURATION = Duration.ofSeconds(3);

  /** Duration below which a watch without events is a failure, so that the next one waits. */
  static final Duration MIN_HEALTHY_DURATION = Duration.ofSeconds(1);

  /** Number of unreadable watches after which the type is listed again. */
  static final int MAX_MALFORMED = 2;

  /**
   * Number of watches that the apiserver answered with an error after which the type is listed
   * again, if they lasted for {@link #MIN_ERROR_TIME}.
   */
  static final int MAX_ERRORS = 4;

  /**
   * Minimum time of such errors: longer than an etcd needs to elect a leader, and a webhook to
   * restart.
   */
  static final Duration MIN_ERROR_TIME = Duration.ofMinutes(2);

  private WatchFailureSettings() {}
}
