package io.watchgate.error;

import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;

/** Factory of the errors by which the gateway ends or refuses a valid stream. */
public final class StreamErrors {
  /** Sentences that say why a position has expired, for {@link #positionExpired}. */
  public static final String OTHER_CLUSTER =
      "The token is of another cluster than this gateway serves.";

  public static final String OTHER_DEFINITION =
      "The resource type was redefined since the token was made.";

  public static final String RESTORED_SINCE_TOKEN =
      "The state at the token's version is a different one now: the cluster was restored from a"
          + " backup.";

  public static final String OTHER_HISTORY =
      "The cluster has a different timeline now: it was restored from a backup, or replaced.";

  public static final String OTHER_FORMAT =
      "The token has a format that this gateway does not know: another version of Watchgate made"
          + " it.";

  public static final String TOO_MUCH_CHANGED = "Too much changed since this stream's position.";

  public static final String STATE_NEVER_SEEN =
      "This gateway never saw the state at the token's version; the token is of another replica.";

  /**
   * Text of an internal failure. It has no reason of the contract, so it is not an {@link
   * ApiError}.
   */
  public static final String INTERNAL =
      "an internal error occurred in the gateway; its log has the details. Resume with the last"
          + " token, or repeat the call.";

  /**
   * Reconnect delay of a stream that the gateway sends away. It is short because streams are closed
   * one after the other, so their reconnects are spread already; clients, which cannot know that,
   * wait a random part of it.
   */
  private static final Duration RECONNECT_WITHIN = Duration.ofMillis(100);

  private StreamErrors() {}

  // ---- positions and lag

  /**
   * Returns the sentence for a position that is older than the history.
   *
   * @param position the position
   * @param oldest oldest version of the history; empty: there is none
   */
  public static String beforeHistory(String position, String oldest) {
    return "This gateway's history"
        + (oldest.isEmpty() ? "" : ", which begins at " + oldest + ",")
        + " does not reach back to "
        + position
        + ".";
  }

  /**
   * Returns the end of a stream that cannot continue from its position.
   *
   * @param detail sentence that says why
   */
  public static ApiError positionExpired(ErrorReason reason, String detail) {
    return ApiError.of(reason, detail + " Begin again without a token, with a snapshot.");
  }

  /**
   * Returns the sentence for a position within the history, after which changes are missing.
   *
   * @param position the position
   * @param type plural name with group
   */
  public static String insideGap(String position, String type) {
    return "Not every change since "
        + position
        + " is known: this gateway had to list "
        + type
        + " again.";
  }

  /** Returns the end of a stream after a gap in the changes of its type. */
  public static ApiError changesLost(String type, ExpiredVersion versions) {
    return ApiError.of(
            ErrorReason.ERROR_REASON_CHANGES_LOST,
            insideGap("version " + versions.reached(), type)
                + " Begin again without a token, or choose lag policy RESYNC.")
        .of(versions);
  }

  public static ApiError historyLost() {
    return ApiError.of(
        ErrorReason.ERROR_REASON_HISTORY_LOST, OTHER_HISTORY + " Begin again without a token.");
  }

  /** Returns the end of a stream whose position was trimmed from history. */
  public static ApiError lagged(ExpiredVersion versions) {
    return ApiError.retry(
            ErrorReason.ERROR_REASON_LAGGED,
            Duration.ofSeconds(1),
            "this stream was read too slowly: changes that were not sent yet have been dropped."
                + " Resume with the last token; read faster, or choose lag policy RESYNC.")
        .of(versions);
  }

  /** Returns the end of a stream in the middle of a state that is no longer held. */
  public static ApiError stateReleased() {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_LAGGED,
        Duration.ofSeconds(1),
        "this stream was read too slowly: the state that was being sent is no longer held."
            + " Reconnect, with the last token if there is one, and read faster.");
  }

  /** Returns the end of a stream that is not read while memory for unread responses is short. */
  public static ApiError notReading() {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_LAGGED,
        Duration.ofSeconds(10),
        "this stream was not read for a while, and the memory for responses that wait for readers"
            + " is full. Resume with the last token, and read.");
  }

  // ---- streams that are sent to another replica, or reconnect

  /** Returns the error for a request to a gateway that shuts down. */
  public static ApiError notAdmittedWhileDraining() {
    return ApiError.retry(
        ErrorReason.ERROR_REASON_DRAINING,
        Duration.ofSeconds(1),
        "this gateway shuts down. Call another replica.");
  }

  /** Returns the end of a stream of a gateway that shuts down. */
  public static ApiError draining() {
    return goingAway(
        ErrorReason.ERROR_REASON_DRAINING,
        "this gateway shuts down. Resume with the last token, on another replica or once it is"
            + " back.");
  }

  /** Returns the end of a stream that has reached its maximum age. */
  public static ApiError streamAge() {
    return goingAway(
        ErrorReason.ERROR_REASON_STREAM_AGE,
        "this stream has reached the age at which streams reconnect, so that they spread over all"
            + " replicas. Resume with the last token.");
  }

  /** Returns the end of a stream of a replica that has more streams than others. */
  public static ApiError rebalancing() {
    return goingAway(
        ErrorReason.ERROR_REASON_REBALANCING,
        "this replica has more streams than others. Resume with the last token, on another"
            + " replica.");
  }

  /** Returns the end of a stream whose credentials expire soon. */
  public static ApiError reauthenticate() {
    return goingAway(
        ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED,
        "the credentials that this stream was opened with expire. Resume with the last token, and"
            + " with newer credentials.");
  }

  private static ApiError goingAway(ErrorReason reason, String message) {
    return ApiError.retry(reason, RECONNECT_WITHIN, message);
  }

  /** Returns the state of a stream after its end; never sent. */
  public static ApiError ended() {
    return ApiError.of(ErrorReason.ERROR_REASON_UNSPECIFIED, "this stream has ended");
  }
}
