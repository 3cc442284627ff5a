package io.watchgate.cache;

import java.time.Duration;

/** Settings of the {@link IdlePositionRefresher}. */
final class IdlePositionSettings {
  /**
   * Age at which a position is refreshed: kube-apiserver compacts what is older than five minutes.
   */
  static final Duration IDLE_AGE = Duration.ofMinutes(2);

  /** The same for a type of many objects, because their list costs more than an occasional gap. */
  static final Duration IDLE_AGE_LARGE = Duration.ofMinutes(10);

  /** Number of objects above which {@link #IDLE_AGE_LARGE} applies. */
  static final int LARGE = 2_000;

  /**
   * Time without an event after a list that proves that the watch has no earlier change: it would
   * have arrived.
   */
  static final Duration GRACE = Duration.ofSeconds(10);

  private IdlePositionSettings() {}
}
