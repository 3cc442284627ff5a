package io.watchgate.cli;

import io.watchgate.balance.BalanceSettings;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.TypeReference;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.grpc.ServerTls;
import io.watchgate.grpc.StreamLimits;
import io.watchgate.kube.KubeSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Everything that can be set about a gateway.
 *
 * @param listen where gRPC is served; port 0 takes a free one
 * @param httpListen where probes and metrics are served
 * @param tls empty for plaintext
 * @param clusterName identifies the cluster in place of the uid of namespace kube-system; empty:
 *     the uid
 * @param types opened at the start and kept open; secrets are served only if named here
 * @param access who may do what
 * @param drain how long streams may take to end at shutdown
 * @param balance empty: streams stay where they are
 */
public record GatewaySettings(
    InetSocketAddress listen,
    InetSocketAddress httpListen,
    Optional<ServerTls.Files> tls,
    String clusterName,
    List<TypeReference> types,
    CacheSettings cache,
    KubeSettings kube,
    FanoutSettings feed,
    StreamLimits streams,
    AccessSettings access,
    Duration drain,
    Optional<BalanceSettings> balance) {

  public GatewaySettings {
    types = List.copyOf(types);
  }
}
