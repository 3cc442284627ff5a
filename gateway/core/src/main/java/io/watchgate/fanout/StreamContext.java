package io.watchgate.fanout;

import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.WatchCache;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.SnapshotReason;
import java.time.Duration;
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
      return new Phase.Ended(
          ApiError.of(error, message + " Begin again without a token, with a snapshot."));
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
        ApiError.of(
            ErrorReason.ERROR_REASON_CHANGES_LOST,
            "the gateway had to list "
                + type().groupResource()
                + " again: not every change since version "
                + since.version()
                + " is known. Begin again without a token, or choose lag policy RESYNC."));
  }

  Phase historyLost() {
    if (disconnects()) {
      return new Phase.Ended(
          ApiError.of(
              ErrorReason.ERROR_REASON_HISTORY_LOST,
              "the cluster's history is another one: it was restored, or replaced. Begin again"
                  + " without a token."));
    }
    return expired(
        SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST,
        "The cluster's history is another one: it was restored, or replaced.");
  }

  Phase expired(String message) {
    return expired(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED, message);
  }

  static Phase lagged() {
    return new Phase.Ended(
        ApiError.retry(
            ErrorReason.ERROR_REASON_LAGGED,
            Duration.ofSeconds(1),
            "this stream was read too slowly: what it has yet to send is no longer held. Resume"
                + " with the last token; read faster, or choose lag policy RESYNC."));
  }
}
