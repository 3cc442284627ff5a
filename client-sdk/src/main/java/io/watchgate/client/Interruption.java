package io.watchgate.client;

import io.watchgate.proto.v1.GoingAwayReason;
import java.time.Duration;

/** Why a stream was left for the next one. Immutable. */
public sealed interface Interruption {

  /**
   * What the next stream starts from: {@link ErrorAction#RESUME} or {@link ErrorAction#RESTART}.
   */
  ErrorAction action();

  /** The stream, or the attempt to open one, failed. */
  record Failed(WatchError error) implements Interruption {
    @Override
    public ErrorAction action() {
      return error.action();
    }
  }

  /**
   * The gateway asked to move to another stream.
   *
   * @param within the next stream is opened at a random moment within this time
   */
  record GoingAway(GoingAwayReason reason, Duration within) implements Interruption {
    @Override
    public ErrorAction action() {
      return ErrorAction.RESUME;
    }
  }

  /**
   * Nothing came, not even a bookmark, for three bookmark intervals.
   *
   * @param waited those three intervals
   */
  record Silence(Duration waited) implements Interruption {
    @Override
    public ErrorAction action() {
      return ErrorAction.RESUME;
    }
  }

  /**
   * A group that must be applied as one grew beyond what this client may hold. The next stream
   * starts with a snapshot, which comes in pieces and needs no holding.
   *
   * @param limit bytes, {@link WatchClientBuilder#maxGroupBytes}
   */
  record GroupTooLarge(long limit) implements Interruption {
    @Override
    public ErrorAction action() {
      return ErrorAction.RESTART;
    }
  }
}
