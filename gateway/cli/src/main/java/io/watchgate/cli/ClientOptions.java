package io.watchgate.cli;

import static java.util.Objects.requireNonNull;

import io.grpc.ChannelCredentials;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchClientBuilder;
import io.watchgate.client.WatchListener;
import io.watchgate.kube.ConfigException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Options of all client commands that select the gateway and the credentials. */
@OptionGroup("Connection to a gateway")
final class ClientOptions {
  static final ServerAddress DEFAULT = new ServerAddress("127.0.0.1", 7443);

  private final Map<String, String> environment;
  private final Supplier<KubeconfigOptions> user;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      split = ",",
      converter = ServerAddress.Converter.class,
      description =
          "The gateway; several replicas are separated by commas, or the option is repeated."
              + " Default: that of --gateway-context; else WATCHGATE_SERVER, in the same form; else"
              + " that of the current Watchgate context; else 127.0.0.1:7443.")
  private List<ServerAddress> servers = List.of();

  @Option(
      names = "--gateway-context",
      paramLabel = "NAME",
      description =
          "The gateway of this Watchgate context, see 'watchgate context --help'. If"
              + " WATCHGATE_SERVER is set as well, this option wins, and the other variables of"
              + " connections (WATCHGATE_TLS_CA, WATCHGATE_TOKEN_FILE and so on) are ignored."
              + " Default: WATCHGATE_CONTEXT, else the one that 'context use' chose.")
  private @Nullable String context;

  @Option(
      names = "--tls",
      description = "Connect with TLS, with the CAs that Java trusts. Default: plaintext.")
  private boolean tls;

  @Option(
      names = "--tls-ca",
      paramLabel = "FILE",
      description =
          "Connect with TLS, with the CA certificates in this PEM file. Default:"
              + " WATCHGATE_TLS_CA.")
  private @Nullable Path tlsCa;

  @Option(
      names = "--tls-client-cert",
      paramLabel = "FILE",
      description =
          "Client certificate chain, PEM. Needs --tls-client-key, and --tls or --tls-ca. Default:"
              + " WATCHGATE_TLS_CLIENT_CERT.")
  private @Nullable Path tlsClientCert;

  @Option(
      names = "--tls-client-key",
      paramLabel = "FILE",
      description =
          "Private key of the client certificate, PEM: RSA, EC or Ed25519, in PKCS#8, PKCS#1 or SEC"
              + " 1. Both files and --tls-ca are read again for each connection. Default:"
              + " WATCHGATE_TLS_CLIENT_KEY.")
  private @Nullable Path tlsClientKey;

  @Option(
      names = "--tls-server-name",
      paramLabel = "NAME",
      description =
          "Expected name in the gateway's certificate, for example behind a port-forward to"
              + " 127.0.0.1. Needs --tls or --tls-ca. Default: WATCHGATE_TLS_SERVER_NAME, else the"
              + " host of --server.")
  private @Nullable String tlsServerName;

  @Option(
      names = "--bearer-token-file",
      paramLabel = "FILE",
      description =
          "File with the bearer token to send, without TLS only to this machine; it is read for"
              + " each stream. Default: WATCHGATE_TOKEN_FILE.")
  private @Nullable Path bearerTokenFile;

  private @Nullable ConnectionSettings resolved;
  private @Nullable GatewayCredentials credentials;
  private String origin = "";
  private boolean namesFilesItself = true;

  /** Creates the options of a command whose --kubeconfig is for an apiserver. */
  ClientOptions(Map<String, String> environment) {
    this(environment, KubeconfigOptions::new);
  }

  /**
   * Creates the options.
   *
   * @param user identity to present to the gateway
   */
  ClientOptions(Map<String, String> environment, KubeconfigOptions user) {
    this(environment, () -> user);
  }

  /**
   * Creates the options.
   *
   * @param user identity to present to the gateway, which other options decide
   */
  ClientOptions(Map<String, String> environment, Supplier<KubeconfigOptions> user) {
    this.environment = Map.copyOf(environment);
    this.user = user;
  }

  /** Returns whether commands without options, in the same environment, use this address. */
  static boolean isUsual(ServerAddress server, Map<String, String> environment) {
    try {
      return server.equals(DEFAULT)
          && ConnectionSettings.ofEnvironment(environment).equals(ConnectionSettings.NONE)
          && environment.getOrDefault("WATCHGATE_CONTEXT", "").isEmpty()
          && ContextFile.of(environment).read().current().isEmpty();
    } catch (IOException | TypeConversionException e) {
      return false; // their users have to name the address
    }
  }

  /**
   * Returns what the options and the environment say.
   *
   * @throws ParameterException if they name no server: a context needs one
   */
  ConnectionSettings named() {
    ConnectionSettings named = optionsAndEnvironment();
    if (named.servers().isEmpty()) {
      throw UsageError.of(command, "--server is missing: a Watchgate context names a gateway");
    }
    requireConsistent(named);
    return named;
  }

  private ConnectionSettings options() {
    return new ConnectionSettings(
        servers,
        tls,
        Optional.ofNullable(tlsCa),
        Optional.ofNullable(tlsClientCert),
        Optional.ofNullable(tlsClientKey),
        Optional.ofNullable(tlsServerName),
        Optional.ofNullable(bearerTokenFile),
        user.get().kubeconfig(),
        user.get().context());
  }

  private ConnectionSettings optionsAndEnvironment() {
    try {
      return options().orElse(ConnectionSettings.ofEnvironment(environment));
    } catch (TypeConversionException e) {
      throw UsageError.of(command, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns the connection: options, then the environment, then the context. The context counts
   * only if no server is named, and the environment does not if it names the server of another
   * gateway than --gateway-context. So no credentials of one gateway are sent to another.
   *
   * @throws ParameterException if they contradict each other
   * @throws UnusableContextException if there is no such context, or the file cannot be read
   */
  private ConnectionSettings connection() {
    ConnectionSettings cached = resolved;
    if (cached == null) {
      cached = resolve();
      requireConsistent(cached);
      resolved = cached;
    }
    return cached;
  }

  private ConnectionSettings resolve() {
    if (context != null && !servers.isEmpty()) {
      throw UsageError.of(
          command,
          "--gateway-context names a gateway, and so does --server; leave one of them out");
    }
    ConnectionSettings named = optionsAndEnvironment();
    if (context != null && !named.servers().isEmpty()) {
      named = options(); // the variables are for the gateway of WATCHGATE_SERVER
    }
    if (!named.servers().isEmpty()) {
      origin = servers.isEmpty() ? " (WATCHGATE_SERVER)" : "";
      return named;
    }
    ContextFile file = ContextFile.of(environment);
    try {
      ContextFile.Contexts contexts = file.read();
      Optional<String> requested =
          Optional.ofNullable(context)
              .or(() -> Optional.ofNullable(environment.get("WATCHGATE_CONTEXT")))
              .filter(name -> !name.isEmpty());
      Optional<String> chosen = requested.or(contexts::current);
      if (chosen.isEmpty()) {
        origin =
            contexts.byName().isEmpty()
                ? ""
                : " (no Watchgate context is chosen; 'watchgate context use NAME' chooses one)";
        return named.at(DEFAULT);
      }
      ConnectionSettings saved = contexts.byName().get(chosen.get());
      if (saved == null) {
        throw new UnusableContextException(
            requireNonNull(command).commandLine(),
            "there is no Watchgate context '"
                + chosen.get()
                + "' in "
                + file.path()
                + "; 'watchgate context list' prints all");
      }
      origin = " (Watchgate context '" + chosen.get() + "')";
      namesFilesItself = named.namesFiles();
      return named.orElse(saved);
    } catch (IOException | TypeConversionException e) {
      throw new UnusableContextException(
          requireNonNull(command).commandLine(), String.valueOf(e.getMessage()));
    }
  }

  /** Returns the gateway, or the first of its replicas. */
  ServerAddress firstServer() {
    return connection().servers().getFirst();
  }

  /** Returns all replicas for messages, with the place that names them if that is no option. */
  String where() {
    return String.join(", ", allServers().stream().map(ServerAddress::toString).toList()) + origin;
  }

  /** Returns all replicas that were named. */
  List<ServerAddress> allServers() {
    return connection().servers();
  }

  /**
   * Returns the single server of a command that takes only one.
   *
   * @throws ParameterException if there are several
   */
  ServerAddress onlyServer() {
    if (allServers().size() > 1) {
      throw UsageError.of(
          command, "--server takes one address here: name one replica, or their load balancer");
    }
    return firstServer();
  }

  /**
   * Returns a client; empty if a file of certificates, a key, a token or the user of a kubeconfig
   * cannot be used. The problem was reported to {@code reporter}.
   */
  Optional<WatchClient> connect(ReconnectReporter reporter) {
    ConnectionSettings to = connection();
    WatchClientBuilder builder = WatchClient.to(firstServer().host(), firstServer().port());
    to.servers().stream().skip(1).forEach(other -> builder.and(other.host(), other.port()));
    try {
      credentials = GatewayCredentials.read(to);
      credentials.addTo(builder);
    } catch (IOException | ConfigException e) {
      reporter.report(fileErrorText(e));
      return Optional.empty();
    }
    if (to.tlsServerName().isPresent()) {
      try {
        builder.tlsServerName(to.tlsServerName().get());
      } catch (IllegalArgumentException e) {
        throw UsageError.of(command, "--tls-server-name: " + e.getMessage());
      }
    }
    return Optional.of(builder.build());
  }

  /**
   * Returns a listener that has a refused token of the kubeconfig renewed before the next attempt.
   */
  WatchListener renewing(WatchListener listener) {
    GatewayCredentials read = credentials;
    return read == null ? listener : read.renewing(listener);
  }

  private void requireConsistent(ConnectionSettings to) {
    if (to.tlsClientCert().isPresent() != to.tlsClientKey().isPresent()) {
      throw UsageError.of(command, "--tls-client-cert and --tls-client-key belong together");
    }
    if (to.tlsClientCert().isPresent() && !to.usesTls()) {
      throw UsageError.of(command, "--tls-client-cert needs TLS; give --tls or --tls-ca too");
    }
    if (to.tlsServerName().isPresent() && !to.usesTls()) {
      throw UsageError.of(
          command, "--tls-server-name is of use with TLS only; give --tls or --tls-ca too");
    }
    if (to.kubeContext().isPresent() && to.kubeconfig().isEmpty()) {
      throw UsageError.of(
          command,
          "--context is a kubeconfig context; give --kubeconfig too, or --gateway-context for a"
              + " Watchgate context");
    }
    if (to.kubeconfig().isPresent()
        && (to.bearerTokenFile().isPresent() || to.tlsClientCert().isPresent())) {
      throw UsageError.of(
          command,
          "--kubeconfig and "
              + (to.bearerTokenFile().isPresent() ? "--bearer-token-file" : "--tls-client-cert")
              + " exclude each other: both are credentials");
    }
    if (!to.isPrivate() && (to.kubeconfig().isPresent() || to.bearerTokenFile().isPresent())) {
      throw UsageError.of(
          command,
          (to.kubeconfig().isPresent()
                  ? "--kubeconfig: credentials of a kubeconfig are"
                  : "--bearer-token-file: a token is")
              + " not sent without TLS to another machine; give --tls or --tls-ca too");
    }
  }

  /** Returns whether an option names a gateway. */
  boolean isGatewayNamed() {
    return !servers.isEmpty() || context != null;
  }

  /** Returns whether connections use TLS. */
  boolean usesTls() {
    return connection().usesTls();
  }

  /** Returns the name that certificates must have; empty for the host that is connected to. */
  Optional<String> serverName() {
    return connection().tlsServerName();
  }

  /**
   * Returns credentials for connections outside the SDK; empty if a file cannot be used. The
   * problem was reported to {@code reporter}.
   */
  Optional<ChannelCredentials> credentials(ReconnectReporter reporter) {
    try {
      return Optional.of(GatewayCredentials.read(connection()).forChannel());
    } catch (IOException | ConfigException e) {
      reporter.report(fileErrorText(e));
      return Optional.empty();
    }
  }

  /** Returns the error of a file, with the context if only that names files. */
  private String fileErrorText(Exception failure) {
    return failure.getMessage() + (namesFilesItself ? "" : origin);
  }
}
