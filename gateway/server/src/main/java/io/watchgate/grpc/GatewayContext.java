package io.watchgate.grpc;

import io.watchgate.auth.AccessController;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.RouterRegistry;

/**
 * Dependencies of the service.
 *
 * @param clusterId uid of namespace kube-system, or the configured name
 * @param serverId names this process to clients and operators
 * @param version of the gateway
 */
public record GatewayContext(
    Cluster cluster,
    TypeRegistry registry,
    ServedTypes types,
    RouterRegistry routers,
    StreamLimiter streamLimiter,
    AccessController accessController,
    AuditLog audit,
    CacheSettings cacheSettings,
    FanoutSettings fanoutSettings,
    TimeSource time,
    FanoutMetrics metrics,
    String clusterId,
    String serverId,
    String version) {}
