package io.watchgate.cache;

import java.time.Duration;

/**
 * Knowledge of whether the held state belongs to the history that the cluster has now. It is in
 * doubt after a lost connection, until it is proven or replaced by a list. Used by the reflector's
 * thread only.
 */
final class HistoryContinuity {
  /**
   * Time without a watch for which the cluster is trusted not to have been restored: a watch that
   * ended at its time is followed by the next one within milliseconds.
   */
  private static final Duration UNWATCHED = Duration.ofSeconds(5);

  private final WatchCache cache;
  private final TimeSource time;
  private HistoryConfidence held = HistoryConfidence.TRUSTED;

  /** Whether an answer has shown already that the history is lost: the next one decides. */
  private boolean lossSeen;

  /** Time until which the state is known to be continuous, unless it is in doubt. */
  private long continuousAt;

  HistoryContinuity(WatchCache cache, TimeSource time) {
    this.cache = cache;
    this.time = time;
  }

  HistoryConfidence held() {
    return held;
  }

  /** Whether the state has to be proven before a watch goes on from it. */
  boolean isInDoubt() {
    if (held == HistoryConfidence.TRUSTED && time.nanoTime() - continuousAt > UNWATCHED.toNanos()) {
      doubt();
    }
    return held == HistoryConfidence.IN_DOUBT;
  }

  /** The cluster may have been restored by now; also if that may have been before already. */
  void doubt() {
    if (held == HistoryConfidence.TRUSTED) {
      held = HistoryConfidence.IN_DOUBT;
    }
    cache.doubt();
  }

  /** The state is of the present history. */
  void proven() {
    held = HistoryConfidence.TRUSTED;
    continuousAt = time.nanoTime();
    cache.trusted();
  }

  /** The state is of another history; a list has to replace it. */
  void lost() {
    held = HistoryConfidence.LOST;
  }

  /** An answer says that the history is lost; the next one decides. */
  void lossSeen() {
    lossSeen = true;
    doubt();
  }

  boolean isLossSeen() {
    return lossSeen;
  }

  /** Whether a list that shows the loss of the history is believed. */
  boolean isLossCertain() {
    return lossSeen || held == HistoryConfidence.LOST;
  }

  /** A watch ended without failure. */
  void ended(Upstream.End end) {
    switch (end) {
      case DUE -> continuousAt = time.nanoTime();
      case EARLY, SILENT -> doubt();
    }
  }

  /** A list took the place of the state. */
  void listed() {
    lossSeen = false;
    held = HistoryConfidence.TRUSTED;
    continuousAt = time.nanoTime();
  }
}
