package io.watchgate.cli;

import io.watchgate.auth.AuthSettings;
import io.watchgate.http.HttpSettings;
import io.watchgate.http.ProxySettings;
import io.watchgate.http.ProxySettings.Writes;
import io.watchgate.server.ClientAuthoritySource;
import io.watchgate.server.KubeApiSettings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of the Kubernetes read API, for clients that are not changed. */
@OptionGroup("Kubernetes read API")
final class KubeApiOptions {
  private static final int MAX_RELAYS = 100_000;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--kube-listen",
      paramLabel = "HOST:PORT",
      defaultValue = "",
      description =
          "Address of the Kubernetes read API, for kubectl, client-go and other clients that are"
              + " not changed. Lists and watches are answered from the caches if the caller may"
              + " read them; other reads are relayed to the apiserver with the caller's own token,"
              + " which is one for the apiserver, whatever --token-audience says. TLS as for gRPC."
              + " If callers are authenticated by any option, --token-review is required. Default:"
              + " none.")
  private String listen = "";

  @Option(
      names = "--kube-relay-writes",
      description =
          "With --kube-listen, relay writes to the apiserver too, with the caller's own token, for"
              + " clients that know only one address. Of subresources it relays approval, binding,"
              + " ephemeralcontainers, eviction, finalize, resize, scale, status and token; all"
              + " others, such as exec, attach, portforward, proxy and log, are refused. Default:"
              + " no, writes and subresources are refused.")
  private boolean relayWrites;

  @Option(
      names = "--kube-client-ca",
      paramLabel = "cluster|FILE",
      defaultValue = "",
      description =
          "With --kube-listen over TLS, identify callers by client certificates, too: those signed"
              + " by a CA of this PEM file, or by those of the cluster, which the apiserver"
              + " publishes. The common name is the user, the organisations are the groups. Such"
              + " callers get what the caches have; a request that only the apiserver can answer"
              + " is refused, since a certificate cannot be passed on. Default: certificates are"
              + " not requested.")
  private String clientCa = "";

  @Option(
      names = "--kube-max-relays",
      paramLabel = "COUNT",
      defaultValue = "" + ProxySettings.DEFAULT_MAX_RELAYS,
      description =
          "Maximum number of requests that are being relayed to the apiserver, relayed watches"
              + " included, 1 to 100000; further ones get 429. Default: ${DEFAULT-VALUE}.")
  private int maxRelays;

  @Option(
      names = "--kube-max-relays-per-client",
      paramLabel = "COUNT",
      defaultValue = "" + ProxySettings.DEFAULT_MAX_RELAYS_PER_CLIENT,
      description =
          "The same for one client address. Raise it if clients connect through a proxy, or share"
              + " the address of their node. Default: ${DEFAULT-VALUE}.")
  private int maxRelaysPerClient;

  /** Returns the authorities of client certificates, if callers are identified by them. */
  Optional<ClientAuthoritySource> clientAuthority() {
    return switch (clientCa) {
      case "" -> Optional.empty();
      case "cluster" -> Optional.of(ClientAuthoritySource.OfCluster.OF_CLUSTER);
      default -> Optional.of(new ClientAuthoritySource.InFile(Path.of(clientCa)));
    };
  }

  /**
   * Returns the settings; empty if the API is not served.
   *
   * @throws picocli.CommandLine.ParameterException if options contradict each other
   */
  Optional<KubeApiSettings> settings(
      ServerTlsOptions tls, AuthSettings auth, BrowserOptions browsers) {
    if (listen.isEmpty()) {
      browsers.requireUnused();
      if (relayWrites) {
        throw UsageError.of(command, "--kube-relay-writes needs --kube-listen");
      }
      if (!clientCa.isEmpty()) {
        throw UsageError.of(command, "--kube-client-ca needs --kube-listen");
      }
      return Optional.empty();
    }
    if (auth.identification().isEnabled() && auth.identification().audiences().isEmpty()) {
      throw UsageError.of(
          command,
          "--kube-listen needs --token-review: its callers have tokens of the apiserver, which"
              + " only the apiserver can review");
    }
    if (auth.identification().isEnabled()
        && auth.authorization() != AuthSettings.Authorization.KUBERNETES) {
      throw UsageError.of(
          command,
          "--kube-listen needs --authorization kubernetes: a caller gets from the caches only what"
              + " the apiserver would give it");
    }
    if (!clientCa.isEmpty() && !tls.isEnabled()) {
      throw UsageError.of(
          command,
          "--kube-client-ca is for TLS, in which certificates are shown; give --tls-cert and"
              + " --tls-key too");
    }
    InetSocketAddress address = ListenAddress.parse(command, "--kube-listen", listen);
    tls.requireSafe("--kube-listen", address, auth);
    return Optional.of(
        new KubeApiSettings(
            address,
            ProxySettings.DEFAULTS
                .with(relayWrites ? Writes.RELAYED : Writes.REFUSED)
                .withRelays(
                    UsageError.requireInRange(
                        command, "--kube-max-relays", maxRelays, 1, MAX_RELAYS),
                    UsageError.requireInRange(
                        command,
                        "--kube-max-relays-per-client",
                        maxRelaysPerClient,
                        1,
                        MAX_RELAYS)),
            clientAuthority(),
            browsers.settings(),
            HttpSettings.DEFAULT));
  }
}
