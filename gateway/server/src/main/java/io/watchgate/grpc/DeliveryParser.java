package io.watchgate.grpc;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.encode.ProtoTime;
import io.watchgate.error.ApiException;
import io.watchgate.error.RequestErrors;
import io.watchgate.fanout.DeliveryDefaults;
import io.watchgate.fanout.StreamOptions;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Parser of the delivery options of a request. It checks values, clamps them to their ranges
 * ({@link DeliveryDefaults}) and applies defaults.
 */
final class DeliveryParser {
  private static final DeliveryDefaults DEFAULTS = DeliveryDefaults.DEFAULTS;

  private DeliveryParser() {}

  static StreamOptions parse(Delivery requested, @Nullable ResourceVersion minimumVersion)
      throws ApiException {
    return new StreamOptions(
        lagPolicy(requested.getLagPolicy()),
        switch (requested.getExpiredPositionPolicy()) {
          case EXPIRED_POSITION_POLICY_UNSPECIFIED, EXPIRED_POSITION_POLICY_SNAPSHOT ->
              ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_SNAPSHOT;
          case EXPIRED_POSITION_POLICY_FAIL -> ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL;
          case UNRECOGNIZED ->
              throw new ApiException(
                  RequestErrors.unsupportedExpiredPositionPolicy("UNRECOGNIZED"));
        },
        batchDelay(requested),
        requested.hasBookmarkInterval()
            ? RequestLimits.clamp(
                "delivery.bookmark_interval",
                requested.getBookmarkInterval(),
                DEFAULTS.minBookmarkInterval(),
                DEFAULTS.maxBookmarkInterval())
            : DEFAULTS.defaultBookmarkInterval(),
        RequestLimits.responseBytes(requested.getMaxResponseBytes()),
        requested.hasMaxStaleness()
            ? maxStaleness("delivery.max_staleness", requested.getMaxStaleness())
            : null,
        minimumVersion);
  }

  /** Returns the limit of a state's staleness, in its range. */
  static Duration maxStaleness(String field, com.google.protobuf.Duration requested)
      throws ApiException {
    return RequestLimits.clamp(field, requested, Duration.ZERO, DEFAULTS.maxStaleness());
  }

  private static LagPolicy lagPolicy(LagPolicy requested) throws ApiException {
    return switch (requested) {
      case LAG_POLICY_UNSPECIFIED, LAG_POLICY_RESYNC -> LagPolicy.LAG_POLICY_RESYNC;
      case LAG_POLICY_DISCONNECT -> LagPolicy.LAG_POLICY_DISCONNECT;
      case LAG_POLICY_CONFLATE -> LagPolicy.LAG_POLICY_CONFLATE;
      case UNRECOGNIZED ->
          throw new ApiException(RequestErrors.unsupportedLagPolicy(requested.name()));
    };
  }

  /** Returns the batch delay in steps of 100 ms, rounded up; 0 sends at once. */
  private static Duration batchDelay(Delivery requested) throws ApiException {
    Duration delay =
        RequestLimits.clamp(
            "delivery.max_batch_delay",
            requested.getMaxBatchDelay(),
            Duration.ZERO,
            DEFAULTS.maxBatchDelay());
    long steps =
        (delay.toNanos() + DEFAULTS.batchDelayStep().toNanos() - 1)
            / DEFAULTS.batchDelayStep().toNanos();
    return DEFAULTS.batchDelayStep().multipliedBy(steps);
  }

  static Delivery toProto(StreamOptions settings) {
    Delivery.Builder delivery =
        Delivery.newBuilder()
            .setLagPolicy(settings.lagPolicy())
            .setExpiredPositionPolicy(settings.expiredPositionPolicy())
            .setMaxBatchDelay(ProtoTime.of(settings.maxBatchDelay()))
            .setBookmarkInterval(ProtoTime.of(settings.bookmarkInterval()))
            .setMaxResponseBytes(settings.maxResponseBytes());
    Duration staleness = settings.maxStaleness();
    if (staleness != null) {
      delivery.setMaxStaleness(ProtoTime.of(staleness));
    }
    return delivery.build();
  }
}
