package io.watchgate.server;

import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.balance.BalanceSettings;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.TypeReference;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.grpc.ServerTls;
import io.watchgate.grpc.TransportSettings;
import io.watchgate.kube.KubeSettings;
import io.watchgate.ops.pages.StatusPage;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * All settings of a gateway.
 *
 * @param listen address of gRPC; port 0 takes a free one
 * @param httpListen address of probes and metrics
 * @param kubeApi empty: the Kubernetes read API is not served
 * @param tls empty for plaintext
 * @param clusterName identifies the cluster instead of the uid of namespace kube-system; empty for
 *     the uid
 * @param types opened at the start and kept open; secrets are served only if named here
 * @param access authentication, authorization and audit log
 * @param drain longest time that streams may take to end at shutdown ({@link
 *     TransportSettings#DEFAULT_DRAIN_SECONDS})
 * @param balance empty if streams are not balanced
 * @param lane way of the responses of streams
 * @param flags options of the command line, for the page that shows them
 */
// Fifteen components: each goes to another part of the gateway, and is built by other options.
public record GatewaySettings(
    InetSocketAddress listen,
    InetSocketAddress httpListen,
    Optional<KubeApiSettings> kubeApi,
    Optional<ServerTls.Files> tls,
    String clusterName,
    List<TypeReference> types,
    CacheSettings cache,
    KubeSettings kube,
    FanoutSettings fanout,
    GatewayStreamLimits streams,
    AccessSettings access,
    Duration drain,
    Optional<BalanceSettings> balance,
    Lane lane,
    List<StatusPage.Flag> flags) {
  public static final String DEFAULT_LISTEN = "127.0.0.1:7443";
  public static final String DEFAULT_HTTP_LISTEN = "127.0.0.1:9443";

  /** Way of the responses of streams. */
  public enum Lane {
    /** The lane, if its test at the start succeeds (package {@link io.watchgate.grpc.lane}). */
    ON,
    /** gRPC. */
    OFF
  }

  public GatewaySettings {
    types = List.copyOf(types);
    flags = List.copyOf(flags);
  }
}
