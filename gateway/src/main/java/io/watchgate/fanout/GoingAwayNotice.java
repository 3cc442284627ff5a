package io.watchgate.fanout;

import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.GoingAwayReason;
import java.time.Duration;

/**
 * Why a stream that is none the worse for what it asked is sent to go on elsewhere.
 *
 * @param signal its last response, but for the position
 * @param refusal how it ends then
 */
public record GoingAwayNotice(GoingAway signal, ApiError refusal) {
  /** Short: they are told one after the other, and what they wait their clients do not see. */
  private static final Duration WITHIN = Duration.ofMillis(100);

  /** The gateway shuts down. */
  public static GoingAwayNotice draining() {
    return of(
        GoingAwayReason.GOING_AWAY_REASON_DRAINING,
        ErrorReason.ERROR_REASON_DRAINING,
        "this gateway shuts down. Resume with the last token, on another replica or once it is"
            + " back.");
  }

  /** It has been open for so long that others may have come or gone meanwhile. */
  static GoingAwayNotice ofAge() {
    return of(
        GoingAwayReason.GOING_AWAY_REASON_STREAM_AGE,
        ErrorReason.ERROR_REASON_STREAM_AGE,
        "this stream has reached the age at which streams are opened anew, so that they spread over"
            + " the replicas there are. Resume with the last token.");
  }

  /** Its replica has more streams than others. */
  public static GoingAwayNotice rebalancing() {
    return of(
        GoingAwayReason.GOING_AWAY_REASON_REBALANCING,
        ErrorReason.ERROR_REASON_REBALANCING,
        "this replica has more streams than others. Resume with the last token, on another"
            + " replica.");
  }

  /** The credentials that it was opened with end soon. */
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
