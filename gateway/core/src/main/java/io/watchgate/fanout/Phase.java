package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.encode.Position;
import io.watchgate.error.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * State of a stream. All methods but {@link #lastActivity} run on its event loop. The methods that
 * are named by a noun or as a question change nothing.
 *
 * <pre>
 * StartPhase ─→ SnapshotPhase ─→ CatchUpPhase ⇄ LivePhase        any → Ended
 *     │  └────────────────────────↗  ⇅     └→ SnapshotPhase
 *     └→ PrivateReplayPhase ─────↗ NetEffectPhase
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
   * Does a bounded amount of work, at most about one response. Called while the transport is ready.
   *
   * @return this phase if there may be more to do, the next phase, or null if there is nothing to
   *     do until the subscription is woken
   */
  @Nullable Phase advance();

  /**
   * Returns the position that the client has reached; null if what was sent ends at no position.
   */
  @Nullable Position position();

  /** Returns the revision that this phase keeps alive; null for none. */
  @Nullable Revision pinnedRevision();

  /**
   * Returns the revision before the first change that was not sent; null if the stream does not
   * lag.
   */
  default @Nullable Revision lagBase() {
    return pinnedRevision();
  }

  /** Returns the name of this phase for operators. */
  StreamState.Activity activity();

  /** Returns the activity of a stream in this phase; of one that has ended, that before its end. */
  default StreamState.Activity lastActivity() {
    return activity();
  }

  /** Returns the phase that follows when {@link #pinnedRevision} must be released. */
  Phase afterPinLoss();

  /** Returns whether the next data to send is older than the newest change. */
  default boolean isBehind() {
    return false;
  }

  /** Returns whether the stream must be woken on every change of the cache. */
  default boolean listensToCache() {
    return false;
  }

  /**
   * Returns the phase of a stream whose transport has accepted nothing for a second. It gives up
   * everything that is reserved for streams that read.
   */
  default Phase onStall() {
    return this;
  }

  /** Called once a second while the stream is not stalled; see {@link #onStall}. */
  default void onSecond() {}

  /**
   * Releases the resources of this phase. Called once, when the stream changes its phase or ends.
   */
  default void leave() {}

  /**
   * Final phase of a stream that has ended.
   *
   * @param lastActivity activity before the end
   */
  record Ended(ApiError error, StreamState.Activity lastActivity) implements Phase {
    Ended(ApiError error) {
      this(error, StreamState.Activity.STARTING);
    }

    /** Returns this phase as the one that follows another. */
    Ended after(Phase last) {
      return new Ended(error, last.lastActivity());
    }

    @Override
    public StreamState.Activity activity() {
      return StreamState.Activity.ENDED;
    }

    @Override
    public Phase advance() {
      return this;
    }

    @Override
    public @Nullable Position position() {
      return null;
    }

    @Override
    public @Nullable Revision pinnedRevision() {
      return null;
    }

    @Override
    public Phase afterPinLoss() {
      return this;
    }
  }
}
