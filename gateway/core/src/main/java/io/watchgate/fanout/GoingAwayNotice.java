package io.watchgate.fanout;

import io.watchgate.encode.ProtoTime;
import io.watchgate.error.ApiError;
import io.watchgate.error.StreamErrors;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.GoingAwayReason;

/**
 * Signal and final status of a stream that the gateway closes although its request was valid.
 *
 * @param signal signal of the last response, which also has the position
 * @param status final status of the stream
 */
public record GoingAwayNotice(GoingAway signal, ApiError status) {
  /** Returns the notice for a gateway that shuts down. */
  public static GoingAwayNotice draining() {
    return of(GoingAwayReason.GOING_AWAY_REASON_DRAINING, StreamErrors.draining());
  }

  /**
   * Returns the notice for a stream that has reached its maximum age; replicas may have been added
   * since.
   */
  static GoingAwayNotice streamAge() {
    return of(GoingAwayReason.GOING_AWAY_REASON_STREAM_AGE, StreamErrors.streamAge());
  }

  /** Returns the notice for a replica that has more streams than others. */
  public static GoingAwayNotice rebalancing() {
    return of(GoingAwayReason.GOING_AWAY_REASON_REBALANCING, StreamErrors.rebalancing());
  }

  /** Returns the notice for a stream whose credentials expire soon. */
  public static GoingAwayNotice reauthenticate() {
    return of(GoingAwayReason.GOING_AWAY_REASON_REAUTHENTICATE, StreamErrors.reauthenticate());
  }

  private static GoingAwayNotice of(GoingAwayReason reason, ApiError status) {
    return new GoingAwayNotice(
        GoingAway.newBuilder()
            .setReason(reason)
            .setReconnectWithin(ProtoTime.of(status.retryAfter()))
            .build(),
        status);
  }
}
