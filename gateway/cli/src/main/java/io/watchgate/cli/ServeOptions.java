package io.watchgate.cli;

import static io.watchgate.cli.UsageError.requireInRange;

import io.watchgate.auth.AuthSettings;
import io.watchgate.balance.BalanceSettings;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.TypeReference;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.grpc.ServerTls;
import io.watchgate.grpc.TransportSettings;
import io.watchgate.kube.KubeSettings;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.server.AccessSettings;
import io.watchgate.server.GatewaySettings;
import java.io.File;
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

/** Options of the gateway: addresses, TLS, types, and bounds of what it keeps. */
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
      description = "Address of /livez, /readyz and /metrics. Default: ${DEFAULT-VALUE}.")
  private String httpListen = "";

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description =
          "Certificate chain of the gRPC server, PEM. Needs --tls-key. Default: none, plaintext.")
  private @Nullable File tlsCert;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description =
          "Private key of --tls-cert, PEM. All three files may be replaced while the gateway runs:"
              + " connections made 10 s later use the new ones, open ones keep the old."
              + " Default: none.")
  private @Nullable File tlsKey;

  @Option(
      names = "--tls-client-ca",
      paramLabel = "FILE",
      description =
          "Authenticate callers by client certificates signed by an authority of this PEM file: the"
              + " common name is the user, the organisations are the groups. Callers without one"
              + " need a token. Default: certificates are not requested.")
  private @Nullable File tlsClientCa;

  @Option(
      names = "--tls-1.2",
      description = "Accept TLS 1.2 too, for clients without TLS 1.3. Default: TLS 1.3 only.")
  private boolean tls12;

  @Option(
      names = "--insecure",
      description =
          "Serve on an address that is not loopback without TLS, or without authentication: every"
              + " client that reaches the port reads what the gateway may read (and hosts in"
              + " between can read it, too), and writes into an embedded sandbox. Default: no.")
  private boolean insecure;

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
      names = "--history-age",
      paramLabel = "MINUTES",
      defaultValue = "" + CacheSettings.History.DEFAULT_AGE_MINUTES,
      description =
          "Maximum age of a token that gets only the changes after it, 1 to 1440. Default:"
              + " ${DEFAULT-VALUE}.")
  private int historyMinutes;

  @Option(
      names = "--history-mib",
      paramLabel = "MIB",
      description =
          "Maximum size of the history of each type, 1 to 8192; the history ends at this limit or"
              + " at --history-age, whichever is reached first. The history of all types together"
              + " may use the heap that cached objects do not need. Default: an eighth of the heap,"
              + " at most 64.")
  private @Nullable Integer historyMib;

  @Option(
      names = "--unused-after",
      paramLabel = "SECONDS",
      defaultValue = "" + CacheSettings.DEFAULT_UNUSED_AFTER_SECONDS,
      description =
          "Time after which a type without streams is closed upstream, 0 (never) to 86400. Default:"
              + " ${DEFAULT-VALUE}.")
  private int unusedSeconds;

  @Option(
      names = "--probe-interval",
      paramLabel = "SECONDS",
      defaultValue = "" + CacheSettings.DEFAULT_PROBE_SECONDS,
      description =
          "Interval at which the apiserver is asked for the current version of each type, 1 to 60."
              + " The reported staleness depends on it. Default: ${DEFAULT-VALUE}.")
  private int probeSeconds;

  @Option(
      names = "--self-check",
      paramLabel = "MINUTES",
      defaultValue = "" + CacheSettings.DEFAULT_SELF_CHECK_MINUTES,
      description =
          "Interval at which each type's state is compared with the apiserver's, by a list of its"
              + " metadata: 0 (never) to 1440. Default: ${DEFAULT-VALUE}.")
  private int selfCheckMinutes;

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
          "Approximate age at which a stream is asked to reconnect, perhaps to another replica, and"
              + " a connection accepts no new streams: 0 (never) to 1440. Default:"
              + " ${DEFAULT-VALUE}.")
  private int streamAgeMinutes;

  @Option(
      names = "--balance",
      paramLabel = "NAMESPACE/NAME",
      description =
          "Share streams evenly with the replicas that have the same value: each publishes its"
              + " number of streams in a Lease of this namespace and moves surplus streams to the"
              + " others. Default: streams stay where they are.")
  private String balance = "";

  @Option(
      names = "--drop-managed-fields",
      description =
          "Hold objects without metadata.managedFields, to save memory: then view FULL has none"
              + " either. Default: they are kept.")
  private boolean dropManagedFields;

  @Mixin private final AccessOptions access = new AccessOptions();
  @Mixin private final LimitOptions limits = new LimitOptions();

  /**
   * Returns the settings.
   *
   * @param heap bytes that the gateway may use; the default of several options depends on it
   * @throws ParameterException if a value is out of range or options contradict each other
   */
  GatewaySettings settings(long heap) {
    InetSocketAddress address = ListenAddress.parse(command, "--listen", listen);
    AccessSettings controlled = access.settings(Optional.ofNullable(tlsClientCa).map(File::toPath));
    return new GatewaySettings(
        address,
        ListenAddress.parse(command, "--http-listen", httpListen),
        tls(address, controlled.auth()),
        clusterName,
        types.stream().map(ServeOptions::typeName).toList(),
        cache(heap),
        KubeSettings.DEFAULT,
        limits
            .fanoutSettings(heap)
            .withStreamAge(
                Duration.ofMinutes(
                    requireInRange(command, "--stream-age", streamAgeMinutes, 0, 1440))),
        limits.streamLimits(),
        controlled,
        Duration.ofSeconds(requireInRange(command, "--drain", drainSeconds, 1, 3600)),
        balance());
  }

  private Optional<BalanceSettings> balance() {
    if (balance.isEmpty()) {
      return Optional.empty();
    }
    if (!balance.matches(LABEL + "/" + LABEL)) {
      throw UsageError.of(
          command,
          "--balance '" + balance + "' is not NAMESPACE/NAME, of lower-case letters, digits and -");
    }
    int slash = balance.indexOf('/');
    return Optional.of(
        new BalanceSettings(
            balance.substring(0, slash),
            balance.substring(slash + 1),
            BalanceSettings.Pace.DEFAULT));
  }

  private CacheSettings cache(long heap) {
    CacheSettings usual = CacheSettings.forHeap(heap);
    CacheSettings settings =
        usual
            .withHistory(
                Duration.ofMinutes(
                    requireInRange(command, "--history-age", historyMinutes, 1, 1440)),
                historyMib == null
                    ? usual.history().bytes()
                    : (long) requireInRange(command, "--history-mib", historyMib, 1, 8192) << 20)
            .withLaggardBytes(limits.laggardBytes(usual.history().laggardBytes()))
            .withProbeEvery(
                Duration.ofSeconds(
                    requireInRange(command, "--probe-interval", probeSeconds, 1, 60)))
            .withSelfCheckEvery(
                Duration.ofMinutes(
                    requireInRange(command, "--self-check", selfCheckMinutes, 0, 1440)))
            .withUnusedAfter(
                Duration.ofSeconds(
                    requireInRange(command, "--unused-after", unusedSeconds, 0, 86400)));
    return dropManagedFields ? settings.withoutManagedFields() : settings;
  }

  private Optional<ServerTls.Files> tls(InetSocketAddress address, AuthSettings auth) {
    File cert = tlsCert;
    File key = tlsKey;
    if ((cert == null) != (key == null)) {
      throw UsageError.of(command, "--tls-cert and --tls-key belong together");
    }
    if (cert == null && (tlsClientCa != null || tls12)) {
      throw UsageError.of(
          command, "--tls-client-ca and --tls-1.2 are for TLS; give --tls-cert and --tls-key too");
    }
    boolean reachable = !insecure && !address.getAddress().isLoopbackAddress();
    if (reachable && cert != null && auth.isOpenToAll()) {
      throw UsageError.of(
          command,
          "--listen "
              + listen
              + " is not loopback, and callers are not authenticated: every host on the network"
              + " could read what the gateway may read. Give --token-review, --tls-client-ca or"
              + " --token-file, or say --insecure.");
    }
    if (cert != null && key != null) {
      return Optional.of(
          new ServerTls.Files(
              cert.toPath(),
              key.toPath(),
              clients(auth),
              tls12 ? ServerTls.Oldest.TLS_1_2 : ServerTls.Oldest.TLS_1_3));
    }
    if (reachable) {
      throw UsageError.of(
          command,
          "--listen "
              + listen
              + " is not loopback, and without TLS hosts on the network could read the traffic."
              + " Give --tls-cert and --tls-key, or say --insecure.");
    }
    return Optional.empty();
  }

  /** Requests a certificate, and requires it only if certificates are the only identification. */
  private ServerTls.@Nullable Clients clients(AuthSettings auth) {
    File authorities = tlsClientCa;
    if (authorities == null) {
      return null;
    }
    return new ServerTls.Clients(
        authorities.toPath(),
        auth.identification().hasMethodBesidesCertificates()
            ? ServerTls.Clients.Wanted.OPTIONAL
            : ServerTls.Clients.Wanted.REQUIRED);
  }

  /** Returns whether an address that is not loopback is allowed. */
  boolean isInsecure() {
    return insecure;
  }

  private static TypeReference typeName(TypeArgument argument) {
    ResourceType type = argument.type();
    return new TypeReference(type.getGroup(), type.getVersion(), type.getResource());
  }
}
