package io.watchgate.grpc;

import io.watchgate.admission.GatewayStreamLimiter;
import io.watchgate.admission.StreamAdmission;
import io.watchgate.audit.AuditLog;
import io.watchgate.auth.AccessController;
import io.watchgate.cache.Cluster;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.fanout.EndedStreams;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.RouterRegistry;

/** Dependencies of a server, in groups. Each handler gets the groups that it needs. */
public record GatewayContext(Identity identity, Types types, Access access, Delivery delivery) {

  /**
   * Names that clients see.
   *
   * @param serverId names this process to clients and operators
   * @param version version of the gateway
   */
  public record Identity(String serverId, String version) {}

  /** Types of the cluster, those of them that are served and open, and what opens them. */
  public record Types(
      Cluster cluster, TypeRegistry registry, ServedTypes served, StreamAdmission admission) {}

  /** Limits and logs of the callers. */
  public record Access(
      AccessController controller,
      AuditLog audit,
      GatewayStreamLimiter streams,
      EndedStreams endedStreams) {}

  /** Delivery of changes to streams. */
  public record Delivery(
      RouterRegistry routers, FanoutSettings settings, TimeSource time, FanoutMetrics metrics) {}
}
