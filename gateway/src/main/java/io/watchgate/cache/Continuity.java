package io.watchgate.cache;

import java.time.Duration;

/**
 * Knowledge of whether the held state belongs to the history that the cluster has now. It is in
 * doubt after a lost connection, until it is proven or replaced by a list. Used by the reflector's
 * thread only.
 */
final class Continuity {
  /**
   * Time without a watch for which the cluster is trusted not to have been restored: a watch that
   * ended at its time is followed by the next one within milliseconds.
   */
  private static final Duration UNWATCHED = Duration.ofSeconds(5);

  private final WatchCache cache;
  private final TimeSource time;
  private HeldState held = HeldState.TRUSTED;

  /** Whether an answer has shown already that the history is lost: the next one decides. */
  private boolean lossSeen;

  /** Time until which the state is known to be continuous, unless it is in doubt. */
  private long continuousAt;

  Continuity(WatchCache cache, TimeSource time) {
    this.cache = cache;
    this.time = time;
  }

  HeldState held() {
    return held;
  }

  /** Whether the state has to be proven before a watch goes on from it. */
  boolean isInDoubt() {
    if (held == HeldState.TRUSTED && time.nanoTime() - continuousAt > UNWATCHED.toNanos()) {
      doubt();
    }
    return held == HeldState.IN_DOUBT;
  }

  /** The cluster may have been restored by now; also if that may have been before already. */
  void doubt() {
    if (held == HeldState.TRUSTED) {
      held = HeldState.IN_DOUBT;
    }
    cache.doubt();
  }

  /** The state is of the present history. */
  void proven() {
    held = HeldState.TRUSTED;
    continuousAt = time.nanoTime();
    cache.trusted();
  }

  /** The state is of another history; a list has to replace it. */
  void lost() {
    held = HeldState.LOST;
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
    return lossSeen || held == HeldState.LOST;
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
    held = HeldState.TRUSTED;
    continuousAt = time.nanoTime();
  }
}
