package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.WatchCache;
import io.watchgate.error.StreamErrors;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.SnapshotReason;
import java.util.Objects;

/** Objects that the phases of one stream share: its settings, its sources and its output. */
record StreamContext(
    SubscriptionTask stream,
    WatchCache cache,
    ChangeRouter router,
    UserResources userResources,
    Feed feed,
    StreamSettings settings,
    ResponseWriter out,
    TimeSource time,
    FanoutMetrics metrics) {

  ApiResource type() {
    return cache.definition().type();
  }

  /** Returns the newest revision. Callers must know that there is one. */
  Revision head() {
    return Objects.requireNonNull(cache.head(), "a revision without a head");
  }

  /**
   * Returns the phase of a stream that cannot continue from its position: a snapshot, or the end if
   * the client chose the policy FAIL.
   */
  Phase expired(SnapshotReason reason, String message) {
    if (settings.expiredPositionPolicy() == ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL) {
      ErrorReason error =
          reason == SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED
              ? ErrorReason.ERROR_REASON_POSITION_EXPIRED
              : ErrorReason.ERROR_REASON_HISTORY_LOST;
      return new Phase.Ended(StreamErrors.positionExpired(error, message));
    }
    return new SnapshotPhase(this, reason);
  }

  boolean disconnects() {
    return settings.lagPolicy() == LagPolicy.LAG_POLICY_DISCONNECT;
  }

  boolean conflates() {
    return settings.lagPolicy() == LagPolicy.LAG_POLICY_CONFLATE;
  }

  Phase changesLost(Revision since) {
    return new Phase.Ended(
        StreamErrors.changesLost(type().groupResource(), since.version().toString()));
  }

  Phase historyLost() {
    if (disconnects()) {
      return new Phase.Ended(StreamErrors.historyLost());
    }
    return expired(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST, StreamErrors.OTHER_HISTORY);
  }

  Phase expired(String message) {
    return expired(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED, message);
  }

  static Phase lagged() {
    return new Phase.Ended(StreamErrors.lagged());
  }
}
