package io.watchgate.feed;

import io.watchgate.cache.KeyRange;
import io.watchgate.cache.ResourceType;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.WatchCache;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.select.Selection;
import java.time.Duration;
import java.util.List;

/** What the phases of one stream share: what was asked, where it is answered from, where to. */
record StreamContext(
    WatchCache cache,
    Selection selection,
    StreamSettings settings,
    EventEncoder encoder,
    ResponseWriter out,
    Tokens tokens,
    TimeSource time,
    FeedMetrics metrics) {

  ResourceType type() {
    return cache.definition().type();
  }

  /** The keys that can match. */
  List<KeyRange> ranges() {
    return Ranges.of(selection);
  }

  /**
   * The stream cannot go on from where it was to go on: a snapshot, or the end for those who chose
   * it.
   */
  Phase expired(SnapshotReason reason, String message) {
    if (settings.expiredPositionPolicy() == ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL) {
      ErrorReason error =
          reason == SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED
              ? ErrorReason.ERROR_REASON_POSITION_EXPIRED
              : ErrorReason.ERROR_REASON_HISTORY_LOST;
      return new Phase.Ended(
          Refusal.of(error, message + " Begin again without a token, with a snapshot."));
    }
    return new SendingSnapshot(this, reason);
  }

  boolean disconnects() {
    return settings.lagPolicy() == LagPolicy.LAG_POLICY_DISCONNECT;
  }

  static Phase lagged() {
    return new Phase.Ended(
        Refusal.retry(
            ErrorReason.ERROR_REASON_LAGGED,
            Duration.ofSeconds(1),
            "this stream was read too slowly: what it has yet to send is no longer held. Resume"
                + " with the last token; read faster, or choose lag policy RESYNC."));
  }
}
