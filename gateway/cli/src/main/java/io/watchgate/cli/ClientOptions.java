package io.watchgate.cli;

import io.grpc.CallCredentials;
import io.grpc.ChannelCredentials;
import io.grpc.CompositeChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.client.TlsCredentials;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchClientBuilder;
import io.watchgate.pem.FileErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Options of all client commands that select the gateway and the credentials. */
final class ClientOptions {
  static final ServerAddress DEFAULT = new ServerAddress("127.0.0.1", 7443);

  private final Map<String, String> environment;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      converter = ServerAddress.Converter.class,
      description =
          "The gateway; one of its replicas if it is repeated. Default: WATCHGATE_SERVER (replicas"
              + " separated by commas), else the context, else 127.0.0.1:7443.")
  private List<ServerAddress> servers = List.of();

  @Option(
      names = "--gateway-context",
      paramLabel = "NAME",
      description =
          "The gateway of this context, see 'watchgate context --help'. Default:"
              + " WATCHGATE_CONTEXT, else the one that 'context use' chose.")
  private @Nullable String context;

  @Option(
      names = "--tls",
      description = "Connect with TLS, with the authorities that Java trusts. Default: plaintext.")
  private boolean tls;

  @Option(
      names = "--tls-ca",
      paramLabel = "FILE",
      description =
          "Connect with TLS, with the certificate authorities in this PEM file. Default:"
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
          "File with the bearer token to send; it is read for each stream. Default:"
              + " WATCHGATE_TOKEN_FILE.")
  private @Nullable Path bearerTokenFile;

  private @Nullable SavedConnection resolved;
  private String origin = "";

  ClientOptions(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
  }

  /** Returns whether commands without options, in the same environment, use this address. */
  static boolean isUsual(ServerAddress server, Map<String, String> environment) {
    try {
      return server.equals(DEFAULT)
          && ConnectionSettings.ofEnvironment(environment).values().isEmpty()
          && new ClientOptions(environment).currentContext().values().isEmpty();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Returns what the options and the environment say.
   *
   * @throws ParameterException if they name no server: a context needs one
   */
  SavedConnection named() {
    SavedConnection named = optionsAndEnvironment();
    if (named.servers().isEmpty()) {
      throw UsageError.of(command, "--server is missing: a context names a gateway");
    }
    requireConsistentTls(named);
    return named;
  }

  private SavedConnection optionsAndEnvironment() {
    try {
      return new SavedConnection(
              servers,
              tls,
              Optional.ofNullable(tlsCa),
              Optional.ofNullable(tlsClientCert),
              Optional.ofNullable(tlsClientKey),
              Optional.ofNullable(tlsServerName),
              Optional.ofNullable(bearerTokenFile))
          .orElse(SavedConnection.ofEnvironment(environment));
    } catch (TypeConversionException e) {
      throw UsageError.of(command, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns the connection: options, then the environment, then the context, which counts only if
   * no server is named, so that no credentials of one gateway are sent to another.
   *
   * @throws ParameterException if they contradict each other, or the context cannot be read
   */
  private SavedConnection connection() {
    SavedConnection cached = resolved;
    if (cached == null) {
      cached = resolve();
      requireConsistentTls(cached);
      resolved = cached;
    }
    return cached;
  }

  private SavedConnection resolve() {
    SavedConnection named = optionsAndEnvironment();
    if (!named.servers().isEmpty()) {
      if (context != null) {
        throw UsageError.of(
            command,
            "--gateway-context names a gateway, and so does "
                + (servers.isEmpty() ? "WATCHGATE_SERVER" : "--server")
                + "; leave one of them out");
      }
      origin = servers.isEmpty() ? " (WATCHGATE_SERVER)" : "";
      return named;
    }
    SavedConnection local = named.orElse(SavedConnection.NONE.at(DEFAULT));
    ContextFile file = ContextFile.of(environment);
    try {
      ContextFile.Contexts contexts = file.read();
      Optional<String> asked =
          Optional.ofNullable(context)
              .or(() -> Optional.ofNullable(environment.get("WATCHGATE_CONTEXT")))
              .filter(name -> !name.isEmpty());
      Optional<String> chosen = asked.or(contexts::current);
      if (chosen.isEmpty()) {
        return local;
      }
      SavedConnection saved = contexts.byName().get(chosen.get());
      if (saved == null) {
        throw UsageError.of(
            command,
            "there is no context '"
                + chosen.get()
                + "' in "
                + file.path()
                + "; 'watchgate context list' prints all");
      }
      origin = " (context '" + chosen.get() + "')";
      return named.orElse(saved).orElse(SavedConnection.NONE.at(DEFAULT));
    } catch (IOException | TypeConversionException e) {
      throw UsageError.of(command, String.valueOf(e.getMessage()));
    }
  }

  /** Returns the gateway, or the first of its replicas. */
  ServerAddress firstServer() {
    return connection().servers().getFirst();
  }

  /** Returns the gateway for messages, with the place that names it if that is no option. */
  String where() {
    return firstServer() + origin;
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
          command, "--server cannot be repeated here: name one replica, or their load balancer");
    }
    return firstServer();
  }

  /**
   * Returns a client; empty if a file of certificates, a key or a token cannot be used. The problem
   * was reported to {@code reporter}.
   */
  Optional<WatchClient> connect(ReconnectReporter reporter) {
    SavedConnection to = connection();
    WatchClientBuilder builder = WatchClient.to(firstServer().host(), firstServer().port());
    to.servers().stream().skip(1).forEach(other -> builder.and(other.host(), other.port()));
    try {
      if (to.tlsCa().isPresent()) {
        builder.tls(to.tlsCa().get());
      } else if (to.tls()) {
        builder.tls();
      }
      if (to.tlsClientCert().isPresent() && to.tlsClientKey().isPresent()) {
        builder.identity(to.tlsClientCert().get(), to.tlsClientKey().get());
      }
    } catch (IOException e) {
      reporter.report("TLS: " + FileErrors.text(e));
      return Optional.empty();
    }
    if (to.tlsServerName().isPresent()) {
      try {
        builder.tlsServerName(to.tlsServerName().get());
      } catch (IllegalArgumentException e) {
        throw UsageError.of(command, "--tls-server-name: " + e.getMessage());
      }
    }
    try {
      if (to.bearerTokenFile().isPresent()) {
        builder.bearerTokenFile(to.bearerTokenFile().get());
      }
    } catch (NoSuchFileException e) {
      reporter.report("--bearer-token-file: there is no file " + e.getMessage());
      return Optional.empty();
    } catch (IOException e) {
      reporter.report("--bearer-token-file: " + FileErrors.text(e));
      return Optional.empty();
    }
    return Optional.of(builder.build());
  }

  private void requireConsistentTls(SavedConnection to) {
    boolean isTls = to.tls() || to.tlsCa().isPresent();
    if (to.tlsClientCert().isPresent() != to.tlsClientKey().isPresent()) {
      throw UsageError.of(command, "--tls-client-cert and --tls-client-key belong together");
    }
    if (to.tlsClientCert().isPresent() && !isTls) {
      throw UsageError.of(
          command, "--tls-client-cert is shown over TLS; give --tls or --tls-ca too");
    }
    if (to.tlsServerName().isPresent() && !isTls) {
      throw UsageError.of(
          command, "--tls-server-name is of use with TLS only; give --tls or --tls-ca too");
    }
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
    SavedConnection to = connection();
    if (!to.tls() && to.tlsCa().isEmpty()) {
      return Optional.of(withToken(InsecureChannelCredentials.create(), to));
    }
    try {
      TlsCredentials credentials = new TlsCredentials();
      if (to.tlsCa().isPresent()) {
        credentials = credentials.trustedAuthorities(to.tlsCa().get());
      }
      if (to.tlsClientCert().isPresent() && to.tlsClientKey().isPresent()) {
        credentials =
            credentials.clientCertificate(to.tlsClientCert().get(), to.tlsClientKey().get());
      }
      return Optional.of(withToken(credentials.build(), to));
    } catch (IOException e) {
      reporter.report("TLS: " + FileErrors.text(e));
      return Optional.empty();
    }
  }

  private static ChannelCredentials withToken(ChannelCredentials channel, SavedConnection to) {
    return to.bearerTokenFile()
        .<ChannelCredentials>map(
            file -> CompositeChannelCredentials.create(channel, new FileCallCredentials(file)))
        .orElse(channel);
  }

  /** Bearer token of a file, for calls outside the SDK. The file is read for each call. */
  private static final class FileCallCredentials extends CallCredentials {
    private static final Metadata.Key<String> AUTHORIZATION =
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Path file;

    FileCallCredentials(Path file) {
      this.file = file;
    }

    @Override
    public void applyRequestMetadata(RequestInfo call, Executor threads, MetadataApplier applier) {
      try {
        Metadata metadata = new Metadata();
        metadata.put(AUTHORIZATION, "Bearer " + Files.readString(file).strip());
        applier.apply(metadata);
      } catch (IOException e) {
        applier.fail(
            Status.UNAVAILABLE
                .withDescription("no token in " + file + ": " + FileErrors.reason(e))
                .withCause(e));
      }
    }
  }
}
