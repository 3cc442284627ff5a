package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How one stream behaves, as applied: within the ranges, nothing unspecified.
 *
 * @param minimumVersion nothing older is served; null without such a wish
 * @param maxStaleness the stream ends beyond it; null: it may be as stale as it is
 */
public record StreamSettings(
    LagPolicy lagPolicy,
    ExpiredPositionPolicy expiredPositionPolicy,
    Duration maxBatchDelay,
    Duration bookmarkInterval,
    int maxResponseBytes,
    @Nullable Duration maxStaleness,
    @Nullable ResourceVersion minimumVersion) {}
