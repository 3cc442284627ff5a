package io.watchgate.client;

import io.watchgate.proto.v1.GoingAwayReason;
import java.time.Duration;

/** Reason why a watch left one stream and opens another. Immutable. */
public sealed interface Interruption {

  /**
   * Returns how the next stream starts: {@link ErrorAction#RESUME} or {@link ErrorAction#RESTART}.
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
   * The gateway asked the client to move to another stream.
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
   * The stream sent nothing, not even a bookmark, for three bookmark intervals.
   *
   * @param waited length of the three intervals
   */
  record Silence(Duration waited) implements Interruption {
    @Override
    public ErrorAction action() {
      return ErrorAction.RESUME;
    }
  }

  /**
   * A group of changes that must be applied together exceeded the client's limit. The next stream
   * starts with a snapshot, which arrives in parts and is not buffered.
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
