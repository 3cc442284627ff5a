package io.watchgate.fanout;

import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.GoingAwayReason;
import java.time.Duration;

/**
 * Signal and final status of a stream that the gateway closes although its request was valid.
 *
 * @param signal signal of the last response, which also has the position
 * @param status final status of the stream
 */
public record GoingAwayNotice(GoingAway signal, ApiError status) {
  /**
   * Reconnect delay. It is short because streams are closed one after the other, and clients do not
   * see this delay.
   */
  private static final Duration WITHIN = Duration.ofMillis(100);

  /** Returns the notice for a gateway that shuts down. */
  public static GoingAwayNotice draining() {
    return of(
        GoingAwayReason.GOING_AWAY_REASON_DRAINING,
        ErrorReason.ERROR_REASON_DRAINING,
        "this gateway shuts down. Resume with the last token, on another replica or once it is"
            + " back.");
  }

  /**
   * Returns the notice for a stream that has reached its maximum age; replicas may have been added
   * since.
   */
  static GoingAwayNotice streamAge() {
    return of(
        GoingAwayReason.GOING_AWAY_REASON_STREAM_AGE,
        ErrorReason.ERROR_REASON_STREAM_AGE,
        "this stream has reached the age at which streams reconnect, so that they spread over all"
            + " replicas. Resume with the last token.");
  }

  /** Returns the notice for a replica that has more streams than others. */
  public static GoingAwayNotice rebalancing() {
    return of(
        GoingAwayReason.GOING_AWAY_REASON_REBALANCING,
        ErrorReason.ERROR_REASON_REBALANCING,
        "this replica has more streams than others. Resume with the last token, on another"
            + " replica.");
  }

  /** Returns the notice for a stream whose credentials expire soon. */
  public static GoingAwayNotice reauthenticate() {
    return of(
        GoingAwayReason.GOING_AWAY_REASON_REAUTHENTICATE,
        ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED,
        "the credentials that this stream was opened with expire. Resume with the last token, and"
            + " with newer credentials.");
  }

  private static GoingAwayNotice of(GoingAwayReason reason, ErrorReason error, String message) {
    return new GoingAwayNotice(
        GoingAway.newBuilder().setReason(reason).setReconnectWithin(ProtoTime.of(WITHIN)).build(),
        ApiError.retry(error, WITHIN, message));
  }
}
