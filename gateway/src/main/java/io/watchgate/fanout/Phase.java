package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import org.jspecify.annotations.Nullable;

/**
 * What a subscription is at. All run on the subscription's owner.
 *
 * <pre>
 * AwaitingStart ─→ SendingSnapshot ─→ CatchingUp ⇄ Following        any → Ended
 *       │  └───────────────────────────↗  ⇅    └→ SendingSnapshot
 *       └→ Apart ───────────────────────↗ SendingNetEffect
 * </pre>
 */
sealed interface Phase
    permits StartPhase,
        SnapshotPhase,
        NetEffectPhase,
        CatchUpPhase,
        LivePhase,
        PrivateReplayPhase,
        Phase.Ended {

  /**
   * Does a bounded piece of work, at most about one response. Called while the transport is ready.
   *
   * @return this phase if there may be more to do, the one that follows, or null if there is
   *     nothing to do until the subscription is woken
   */
  @Nullable Phase step();

  /** What everything sent so far amounts to; null while that is no position. */
  @Nullable Position position();

  /** The revision whose state this keeps alive; null for none. */
  @Nullable Revision standing();

  /** What follows when {@link #standing} has to be let go of. */
  Phase letGo();

  /** Whether what is to be sent next is of the past, more than the newest change. */
  default boolean isBehind() {
    return false;
  }

  /** Whether whatever the cache has to tell may lead on. */
  default boolean listens() {
    return false;
  }

  /** The transport has taken nothing for a second: what is for those who read is given up. */
  default Phase stalls() {
    return this;
  }

  /** The stream is at something else now, or over. Called once. */
  default void leave() {}

  /** The stream is over. */
  record Ended(ApiError refusal) implements Phase {
    @Override
    public Phase step() {
      return this;
    }

    @Override
    public @Nullable Position position() {
      return null;
    }

    @Override
    public @Nullable Revision standing() {
      return null;
    }

    @Override
    public Phase letGo() {
      return this;
    }
  }
}
