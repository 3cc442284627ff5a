package io.watchgate.cli;

import io.watchgate.auth.AuthSettings;
import io.watchgate.grpc.ServerTls;
import java.io.File;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the TLS of the gateway's gRPC port. */
@OptionGroup("TLS of the server")
final class ServerTlsOptions {
  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description =
          "Certificate chain of the server, for gRPC and --kube-listen, PEM. Needs --tls-key."
              + " Default: none, plaintext.")
  private @Nullable File tlsCert;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description =
          "Private key of --tls-cert, PEM. --tls-cert, --tls-key and --tls-client-ca may be"
              + " replaced while the gateway runs: connections made 10 s later use the new ones,"
              + " open ones keep the old, but the holder of a client certificate of a removed"
              + " CA gets no new stream. Default: none.")
  private @Nullable File tlsKey;

  @Option(
      names = "--tls-client-ca",
      paramLabel = "FILE",
      description =
          "Authenticate callers by client certificates signed by a CA of this PEM file: the"
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

  /** Returns the file of authorities whose certificates identify callers. */
  Optional<Path> clientAuthorities() {
    return Optional.ofNullable(tlsClientCa).map(File::toPath);
  }

  /**
   * Returns the files of the certificate and its key; empty for plaintext.
   *
   * @throws ParameterException if the options contradict each other, or leave an address that is
   *     not loopback open to the network
   */
  Optional<ServerTls.Files> files(InetSocketAddress address, AuthSettings auth) {
    File cert = tlsCert;
    File key = tlsKey;
    if ((cert == null) != (key == null)) {
      throw UsageError.of(command, "--tls-cert and --tls-key belong together");
    }
    if (cert == null && (tlsClientCa != null || tls12)) {
      throw UsageError.of(
          command, "--tls-client-ca and --tls-1.2 are for TLS; give --tls-cert and --tls-key too");
    }
    requireSafe("--listen", address, auth);
    return cert == null || key == null
        ? Optional.empty()
        : Optional.of(
            new ServerTls.Files(
                cert.toPath(),
                key.toPath(),
                clients(auth),
                tls12 ? ServerTls.MinVersion.TLS_1_2 : ServerTls.MinVersion.TLS_1_3));
  }

  /**
   * Requires that an address that other hosts can reach has TLS and authenticates its callers.
   *
   * @param option option of the address
   * @throws ParameterException if it does not, and {@code --insecure} is not given
   */
  void requireSafe(String option, InetSocketAddress address, AuthSettings auth) {
    if (insecure || address.getAddress().isLoopbackAddress()) {
      return;
    }
    String reachable =
        option + " " + ListenAddress.text(address, address.getPort()) + " is not loopback, and ";
    if (tlsCert == null) {
      throw UsageError.of(
          command,
          reachable
              + "without TLS hosts on the network could read the traffic."
              + " Give --tls-cert and --tls-key, or say --insecure.");
    }
    if (auth.isOpenToAll()) {
      throw UsageError.of(
          command,
          reachable
              + "callers are not authenticated: every host on the network could read what the"
              + " gateway may read. Give --token-review, --tls-client-ca or --token-file, or say"
              + " --insecure.");
    }
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

  /** Returns whether the server has a certificate. */
  boolean isEnabled() {
    return tlsCert != null;
  }

  /** Returns whether an address that is not loopback is allowed. */
  boolean isInsecure() {
    return insecure;
  }
}
