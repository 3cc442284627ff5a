package io.watchgate.cli;

import static io.watchgate.cli.UsageError.requireInRange;

import io.watchgate.balance.BalanceSettings;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.grpc.TransportSettings;
import io.watchgate.kube.KubeSettings;
import io.watchgate.server.AccessSettings;
import io.watchgate.server.GatewaySettings;
import io.watchgate.server.KubeApiSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of the gateway: addresses, types, end of streams, and those of its parts. */
@OptionGroup("Gateway")
final class ServeOptions {
  private static final String LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:7443",
      description = "Address of gRPC. Default: ${DEFAULT-VALUE}.")
  private String listen = "";

  @Option(
      names = "--http-listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:9443",
      description =
          "Address of /livez, /readyz, /metrics and the pages for operators that /debug/list names."
              + " Default: ${DEFAULT-VALUE}.")
  private String httpListen = "";

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      converter = TypeArgument.Converter.class,
      description =
          "Open this resource type at the start and keep it open; may be repeated: pods,"
              + " deployments.apps, gateways.gateway.networking.k8s.io. Others are opened when"
              + " asked for, but secrets are served only if named here. Default: none.")
  private List<TypeArgument> types = new ArrayList<>();

  @Option(
      names = "--cluster-name",
      paramLabel = "NAME",
      defaultValue = "",
      description =
          "Identifies the cluster in tokens, the same on all replicas. Default: the uid of"
              + " namespace kube-system.")
  private String clusterName = "";

  @Option(
      names = "--drain",
      paramLabel = "SECONDS",
      defaultValue = "" + TransportSettings.DEFAULT_DRAIN_SECONDS,
      description =
          "Maximum time for streams to end at shutdown, 1 to 3600; they are asked to reconnect one"
              + " after the other, at least 500 a second. Default: ${DEFAULT-VALUE}.")
  private int drainSeconds;

  @Option(
      names = "--stream-age",
      paramLabel = "MINUTES",
      defaultValue = "" + FanoutSettings.DEFAULT_STREAM_AGE_MINUTES,
      description =
          "Approximate age at which a stream is asked to reconnect, perhaps to another replica. A"
              + " connection of that age accepts no new streams. 0 (never) to 1440. Default:"
              + " ${DEFAULT-VALUE}.")
  private int streamAgeMinutes;

  @Option(
      names = "--balance",
      paramLabel = "NAMESPACE/NAME",
      description =
          "Share streams evenly with the replicas of the same NAMESPACE/NAME: each publishes its"
              + " number of streams in a Lease of this namespace and moves surplus streams to the"
              + " others. Default: streams stay where they are.")
  private String balance = "";

  @Option(
      names = "--no-lane",
      description =
          "Send all responses by gRPC. Default: those of streams that keep up are written to their"
              + " connections directly, for less CPU, if a test at the start succeeds.")
  private boolean noLane;

  @Mixin private final KubeApiOptions kubeApi = new KubeApiOptions();
  @Mixin private final BrowserOptions browsers = new BrowserOptions();
  @Mixin private final ServerTlsOptions tls = new ServerTlsOptions();
  @Mixin private final AccessOptions access = new AccessOptions();
  @Mixin private final CacheOptions cache = new CacheOptions();
  @Mixin private final LimitOptions limits = new LimitOptions();

  /**
   * Returns the settings.
   *
   * @param heap bytes that the gateway may use; the default of several options depends on it
   * @throws ParameterException if a value is out of range or options contradict each other
   */
  GatewaySettings settings(long heap) {
    InetSocketAddress address = ListenAddress.parse(command, "--listen", listen);
    InetSocketAddress http = ListenAddress.parse(command, "--http-listen", httpListen);
    ListenAddress.requireDistinct(command, "--http-listen", http, "--listen", address);
    AccessSettings controlled = access.settings(tls.clientAuthorities(), kubeApi.clientAuthority());
    Optional<KubeApiSettings> kube = kubeApi.settings(tls, controlled.auth(), browsers);
    kube.ifPresent(
        api -> {
          cache.requireCompleteObjects();
          ListenAddress.requireDistinct(
              command, "--kube-listen", api.listen(), "--listen", address);
          ListenAddress.requireDistinct(
              command, "--kube-listen", api.listen(), "--http-listen", http);
        });
    return new GatewaySettings(
        address,
        http,
        kube,
        tls.files(address, controlled.auth()),
        clusterName,
        types.stream().map(TypeArgument::reference).toList(),
        cache.settings(heap, limits),
        KubeSettings.DEFAULT,
        limits
            .fanoutSettings(heap)
            .withStreamAge(
                Duration.ofMinutes(
                    requireInRange(command, "--stream-age", streamAgeMinutes, 0, 1440))),
        limits.streamLimits(),
        controlled,
        Duration.ofSeconds(requireInRange(command, "--drain", drainSeconds, 1, 3600)),
        balance.isEmpty() ? Optional.empty() : Optional.of(balance(command, balance)),
        noLane ? GatewaySettings.Lane.OFF : GatewaySettings.Lane.ON,
        OptionsInForce.of(command));
  }

  /**
   * Returns the settings for a value of {@code --balance}.
   *
   * @throws ParameterException if it has another form
   */
  static BalanceSettings balance(@Nullable CommandSpec command, String balance) {
    if (!balance.matches(LABEL + "/" + LABEL)) {
      throw UsageError.of(
          command,
          "--balance '" + balance + "' is not NAMESPACE/NAME, of lower-case letters, digits and -");
    }
    int slash = balance.indexOf('/');
    return new BalanceSettings(
        balance.substring(0, slash), balance.substring(slash + 1), BalanceSettings.Pace.DEFAULT);
  }

  /** Returns whether an address that is not loopback is allowed. */
  boolean isInsecure() {
    return tls.isInsecure();
  }
}
