package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.error.ExpiredVersion;
import io.watchgate.error.StreamErrors;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.SnapshotReason;
import org.jspecify.annotations.Nullable;

/**
 * Policy for a laggard: a stream that cannot be sent each change since its revision, or is far
 * behind. Each method {@code on…} is called for an event and returns the phase that follows. RESYNC
 * and CONFLATE send a net effect. If that is not possible, they send a snapshot, or end the stream
 * if the client chose EXPIRED_POSITION_POLICY_FAIL. CONFLATE sends net effects whenever the stream
 * is behind. DISCONNECT ends the stream. A client whose transport does not take bytes is the
 * subject of {@link SlowReaderPolicy}.
 */
record LaggardPolicy(PhaseMachine.Context context) {

  /**
   * Returns whether several unsent changes are replaced by their net effect, although all of them
   * are known.
   */
  boolean shouldConflate() {
    return policy() == LagPolicy.LAG_POLICY_CONFLATE;
  }

  /** Returns whether the start of a net effect is announced: not to streams that asked for them. */
  boolean shouldAnnounceNetEffects() {
    return policy() != LagPolicy.LAG_POLICY_CONFLATE;
  }

  private boolean shouldDisconnect() {
    return policy() == LagPolicy.LAG_POLICY_DISCONNECT;
  }

  private LagPolicy policy() {
    return context.settings().lagPolicy();
  }

  /**
   * Decides for a stream that is behind, and of which history has every change since {@code base}.
   * Returns null if the stream is to be sent the single changes.
   */
  @Nullable Phase onBehind(Revision base) {
    return shouldConflate() ? netEffect(base, context.head()) : null;
  }

  /** Decides for a gap after {@code base}: the gateway had to list again. */
  Phase onGap(Revision base, Revision relist) {
    if (shouldDisconnect()) {
      return changesLost(base);
    }
    return shouldConflate()
        ? netEffect(base, context.head())
        : new NetEffectPhase(context, base, relist, NetEffectPhase.reason(base, relist));
  }

  /** Decides for a stream whose position is inside a gap: this gateway never had that state. */
  Phase onGapAround(Revision base) {
    return shouldDisconnect() ? changesLost(base) : context.expired(StreamErrors.STATE_NEVER_SEEN);
  }

  /** Decides for a stream at {@code base}, which was trimmed from history. */
  Phase onTrimmed(Revision base) {
    Revision head = context.head();
    if (!head.isSameHistoryAs(base)) {
      return onHistoryLost();
    }
    if (shouldDisconnect()) {
      return behindHistory(base, head);
    }
    Revision checkpoint = context.router().checkpoint();
    return netEffect(
        base,
        checkpoint != null && base.isBefore(checkpoint) && !checkpoint.isTrimmed()
            ? checkpoint
            : head);
  }

  /** Decides for a stream at {@code base} if no net effect from it can be computed. */
  Phase onUnreachable(Revision base, String reason) {
    Revision head = context.head();
    if (!head.isSameHistoryAs(base)) {
      return onHistoryLost();
    }
    return shouldDisconnect() ? behindHistory(base, head) : context.expired(reason);
  }

  /** Decides for a stream whose position is of another timeline than the cluster's. */
  Phase onHistoryLost() {
    if (shouldDisconnect()) {
      return new Phase.Ended(StreamErrors.historyLost());
    }
    return context.expired(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST, StreamErrors.OTHER_HISTORY);
  }

  /** Ends a slow stream whose state was released before it was completely sent. */
  static Phase onStateReleased() {
    return new Phase.Ended(StreamErrors.stateReleased());
  }

  private Phase netEffect(Revision base, Revision head) {
    return head.isSameHistoryAs(base)
        ? new NetEffectPhase(context, base, head, NetEffectPhase.reason(base, head))
        : onHistoryLost();
  }

  private Phase behindHistory(Revision base, Revision head) {
    return head.hasGapSince(base)
        ? changesLost(base)
        : new Phase.Ended(StreamErrors.lagged(expired(base)));
  }

  private Phase changesLost(Revision since) {
    return new Phase.Ended(
        StreamErrors.changesLost(context.type().groupResource(), expired(since)));
  }

  private ExpiredVersion expired(Revision base) {
    return new ExpiredVersion(base.version().toString(), context.head().version().toString());
  }
}
