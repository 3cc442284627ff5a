package io.watchgate.cache;

/**
 * Knowledge of whether the cached state belongs to the present timeline of the cluster. It is in
 * doubt after a lost connection, until it is proven or replaced by a list. Used by the reflector's
 * thread only.
 */
final class HistoryContinuity {
  private final WatchCache cache;
  private final TimeSource time;
  private HistoryConfidence confidence = HistoryConfidence.TRUSTED;

  /** True if one answer has shown that the history is lost; the next answer decides. */
  private boolean lossSeen;

  /** Time until which the state is known to be continuous, unless it is in doubt. */
  private long continuousUntil;

  HistoryContinuity(WatchCache cache, TimeSource time) {
    this.cache = cache;
    this.time = time;
  }

  HistoryConfidence confidence() {
    return confidence;
  }

  /**
   * Marks the state as in doubt if it was unwatched for too long; returns whether it has to be
   * proven before a watch continues from it.
   */
  boolean updateDoubt() {
    if (confidence == HistoryConfidence.TRUSTED
        && time.nanoTime() - continuousUntil > HistoryProofSettings.MAX_UNWATCHED.toNanos()) {
      markInDoubt();
    }
    return confidence == HistoryConfidence.IN_DOUBT;
  }

  /** Records that the cluster may have been restored by now; also if this was possible before. */
  void markInDoubt() {
    if (confidence == HistoryConfidence.TRUSTED) {
      confidence = HistoryConfidence.IN_DOUBT;
    }
    cache.proofs().markInDoubt();
  }

  /** Records that the state belongs to the present timeline. */
  void markProven() {
    confidence = HistoryConfidence.TRUSTED;
    continuousUntil = time.nanoTime();
    cache.markTrusted();
  }

  /** Records that the state belongs to another timeline; a list has to replace it. */
  void markLost() {
    confidence = HistoryConfidence.LOST;
  }

  /** Records an answer that shows a lost timeline; the next answer decides. */
  void recordLossAnswer() {
    lossSeen = true;
    markInDoubt();
  }

  boolean isLossSeen() {
    return lossSeen;
  }

  /** Returns whether a list that shows a lost timeline is believed. */
  boolean isLossCertain() {
    return lossSeen || confidence == HistoryConfidence.LOST;
  }

  /** Records the end of a watch without failure. */
  void recordWatchEnd(Upstream.End end) {
    switch (end) {
      case ON_TIME -> continuousUntil = time.nanoTime();
      case EARLY, SILENT -> markInDoubt();
    }
  }

  /** Records that a list replaced the state. */
  void recordList() {
    lossSeen = false;
    confidence = HistoryConfidence.TRUSTED;
    continuousUntil = time.nanoTime();
  }
}
