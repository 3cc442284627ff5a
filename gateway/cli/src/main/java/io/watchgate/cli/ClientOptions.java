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
import io.watchgate.server.GatewaySettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of all client commands that select the gateway and the credentials. */
final class ClientOptions {
  static final ServerAddress DEFAULT = new ServerAddress("127.0.0.1", 7443);

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      converter = ServerAddress.Converter.class,
      defaultValue = GatewaySettings.DEFAULT_LISTEN,
      description =
          "The gateway; one of its replicas if it is repeated. Default: ${DEFAULT-VALUE}.")
  private List<ServerAddress> servers = List.of();

  @Option(
      names = "--tls",
      description = "Connect with TLS, with the authorities that Java trusts. Default: plaintext.")
  private boolean tls;

  @Option(
      names = "--tls-ca",
      paramLabel = "FILE",
      description =
          "Connect with TLS, with the certificate authorities in this PEM file. Default: none.")
  private @Nullable Path tlsCa;

  @Option(
      names = "--tls-client-cert",
      paramLabel = "FILE",
      description =
          "Client certificate chain, PEM. Needs --tls-client-key, and --tls or --tls-ca. Default:"
              + " none.")
  private @Nullable Path tlsClientCert;

  @Option(
      names = "--tls-client-key",
      paramLabel = "FILE",
      description =
          "Private key of the client certificate, PEM: RSA, EC or Ed25519, in PKCS#8, PKCS#1 or SEC"
              + " 1. Both files and --tls-ca are read again for each connection. Default: none.")
  private @Nullable Path tlsClientKey;

  @Option(
      names = "--tls-server-name",
      paramLabel = "NAME",
      description =
          "Expected name in the gateway's certificate, for example behind a port-forward to"
              + " 127.0.0.1. Needs --tls or --tls-ca. Default: the host of --server.")
  private @Nullable String tlsServerName;

  @Option(
      names = "--bearer-token-file",
      paramLabel = "FILE",
      description =
          "File with the bearer token to send; it is read for each stream. Default: none.")
  private @Nullable Path bearerTokenFile;

  /** Returns the gateway, or the first of its replicas. */
  ServerAddress firstServer() {
    return servers.getFirst();
  }

  /** Returns all replicas that were named. */
  List<ServerAddress> allServers() {
    return List.copyOf(servers);
  }

  /**
   * Returns the single server of a command that takes only one.
   *
   * @throws ParameterException if there are several
   */
  ServerAddress onlyServer() {
    if (servers.size() > 1) {
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
    requireConsistentTls();
    WatchClientBuilder builder = WatchClient.to(firstServer().host(), firstServer().port());
    servers.stream().skip(1).forEach(other -> builder.and(other.host(), other.port()));
    try {
      if (tlsCa != null) {
        builder.tls(tlsCa);
      } else if (tls) {
        builder.tls();
      }
      if (tlsClientCert != null && tlsClientKey != null) {
        builder.identity(tlsClientCert, tlsClientKey);
      }
    } catch (IOException e) {
      reporter.report("TLS: " + FileErrors.text(e));
      return Optional.empty();
    }
    if (tlsServerName != null) {
      try {
        builder.tlsServerName(tlsServerName);
      } catch (IllegalArgumentException e) {
        throw UsageError.of(command, "--tls-server-name: " + e.getMessage());
      }
    }
    try {
      if (bearerTokenFile != null) {
        builder.bearerTokenFile(bearerTokenFile);
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

  private void requireConsistentTls() {
    if ((tlsClientCert == null) != (tlsClientKey == null)) {
      throw UsageError.of(command, "--tls-client-cert and --tls-client-key belong together");
    }
    if (tlsClientCert != null && !tls && tlsCa == null) {
      throw UsageError.of(
          command, "--tls-client-cert is shown over TLS; give --tls or --tls-ca too");
    }
    if (tlsServerName != null && !tls && tlsCa == null) {
      throw UsageError.of(
          command, "--tls-server-name is of use with TLS only; give --tls or --tls-ca too");
    }
  }

  /** Returns the name that certificates must have; empty for the host that is connected to. */
  Optional<String> serverName() {
    return Optional.ofNullable(tlsServerName);
  }

  /**
   * Returns credentials for connections outside the SDK; empty if a file cannot be used. The
   * problem was reported to {@code reporter}.
   */
  Optional<ChannelCredentials> credentials(ReconnectReporter reporter) {
    requireConsistentTls();
    if (!tls && tlsCa == null) {
      return Optional.of(withToken(InsecureChannelCredentials.create()));
    }
    try {
      TlsCredentials credentials = new TlsCredentials();
      if (tlsCa != null) {
        credentials = credentials.trustedAuthorities(tlsCa);
      }
      if (tlsClientCert != null && tlsClientKey != null) {
        credentials = credentials.clientCertificate(tlsClientCert, tlsClientKey);
      }
      return Optional.of(withToken(credentials.build()));
    } catch (IOException e) {
      reporter.report("TLS: " + FileErrors.text(e));
      return Optional.empty();
    }
  }

  private ChannelCredentials withToken(ChannelCredentials channel) {
    Path file = bearerTokenFile;
    return file == null
        ? channel
        : CompositeChannelCredentials.create(channel, new FileCallCredentials(file));
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
