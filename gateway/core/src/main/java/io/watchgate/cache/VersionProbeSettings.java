package io.watchgate.cache;

import java.time.Duration;

/** Times of version probes, and of the refresh of positions of types that do not change. */
final class VersionProbeSettings {
  /**
   * Longest interval while probes fail, so that streams with a staleness limit notice the end of an
   * outage in time.
   */
  static final Duration MAX_WAIT = Duration.ofMinutes(1);

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

  private VersionProbeSettings() {}
}
