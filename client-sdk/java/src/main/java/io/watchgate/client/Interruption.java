package io.watchgate.client;

import io.watchgate.proto.v1.GoingAwayReason;
import java.time.Duration;

/** Reason why a watch left one stream and opens another. Immutable. */
public sealed interface Interruption {

  /**
   * Returns how the next stream starts: {@link ErrorAction#RESUME} or {@link ErrorAction#RESTART}.
   */
  ErrorAction action();

  /**
   * Returns the reason as a part of a sentence, for logs: {@code the stream was silent for 90 s}.
   */
  String message();

  /** The stream, or the attempt to open one, failed. */
  record Failed(WatchError error) implements Interruption {
    @Override
    public ErrorAction action() {
      return error.action();
    }

    @Override
    public String message() {
      return error.code() + " " + error.message();
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

    @Override
    public String message() {
      return "the gateway asked the client to reconnect: "
          + reason.name().replace("GOING_AWAY_REASON_", "");
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

    @Override
    public String message() {
      return "the stream was silent for " + waited.toSeconds() + " s";
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

    @Override
    public String message() {
      return "changes that belong together exceeded " + limit + " bytes";
    }
  }
}
