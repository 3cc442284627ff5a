package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Options of one stream, as applied: within the limits, without unspecified values.
 *
 * @param minimumVersion minimum version of the served state; null for any
 * @param maxStaleness maximum staleness; null for unlimited
 * @param stalenessScope part of the stream to which {@code maxStaleness} applies
 */
public record StreamOptions(
    LagPolicy lagPolicy,
    ExpiredPositionPolicy expiredPositionPolicy,
    Duration maxBatchDelay,
    Duration bookmarkInterval,
    int maxResponseBytes,
    @Nullable Duration maxStaleness,
    @Nullable ResourceVersion minimumVersion,
    StalenessScope stalenessScope) {

  /** Part of a stream to which its maximum staleness applies. */
  public enum StalenessScope {
    /** The snapshot at the start. */
    START,
    /** The snapshot, and the stream after it, which is closed above the maximum. */
    STREAM
  }

  /** Creates settings whose maximum staleness applies to the complete stream. */
  public StreamOptions(
      LagPolicy lagPolicy,
      ExpiredPositionPolicy expiredPositionPolicy,
      Duration maxBatchDelay,
      Duration bookmarkInterval,
      int maxResponseBytes,
      @Nullable Duration maxStaleness,
      @Nullable ResourceVersion minimumVersion) {
    this(
        lagPolicy,
        expiredPositionPolicy,
        maxBatchDelay,
        bookmarkInterval,
        maxResponseBytes,
        maxStaleness,
        minimumVersion,
        StalenessScope.STREAM);
  }
}
