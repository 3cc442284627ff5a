package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of one stream, as applied: within the limits, without unspecified values.
 *
 * @param minimumVersion minimum version of the served state; null for any
 * @param maxStaleness staleness at which the stream is closed; null for unlimited
 */
public record RequestedStreamSettings(
    LagPolicy lagPolicy,
    ExpiredPositionPolicy expiredPositionPolicy,
    Duration maxBatchDelay,
    Duration bookmarkInterval,
    int maxResponseBytes,
    @Nullable Duration maxStaleness,
    @Nullable ResourceVersion minimumVersion) {}
