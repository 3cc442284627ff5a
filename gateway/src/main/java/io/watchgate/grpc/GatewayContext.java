package io.watchgate.grpc;

import io.watchgate.auth.Gatekeeper;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.feed.FeedMetrics;
import io.watchgate.feed.FeedSettings;
import io.watchgate.feed.Routers;

/**
 * What the service stands on.
 *
 * @param clusterId uid of namespace kube-system, or the configured name
 * @param serverId names this process to clients and operators
 * @param version of the gateway
 */
public record GatewayContext(
    Cluster cluster,
    TypeRegistry registry,
    ServedTypes types,
    Routers routers,
    StreamPlaces places,
    Gatekeeper gatekeeper,
    AuditLog audit,
    CacheSettings cacheSettings,
    FeedSettings waits,
    TimeSource time,
    FeedMetrics metrics,
    String clusterId,
    String serverId,
    String version) {}
