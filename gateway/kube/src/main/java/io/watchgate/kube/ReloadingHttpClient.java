package io.watchgate.kube;

import io.watchgate.pem.CertificateAndKey;
import io.watchgate.pem.ReloadingPem;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * HTTP client that is replaced when the TLS material changes: the authorities, or our certificate
 * and key, on disk or by an exec plugin. OkHttp never reuses a connection of a client with other
 * TLS settings, so no request is made over a connection with the old certificates. A call in
 * flight, such as a watch, keeps its connection, and ends within its requested duration. An
 * apiserver checks certificates at the handshake and rights at the request; closing the watch would
 * prove nothing and cost a gap. kubectl's library closes all connections. Thread-safe.
 */
final class ReloadingHttpClient {
  private final OkHttpClient base;
  private final ClientConfig access;
  private final KubeSettings settings;
  private final @Nullable ReloadingPem<List<X509Certificate>> authorities;
  private final @Nullable ReloadingPem<CertificateAndKey> identity;
  private OkHttpTls.@Nullable Material material;
  private OkHttpClient client;

  /** Client for a server that is reached without TLS and without a proxy; else null. */
  private final @Nullable PlaintextHttpClient plain;

  /**
   * Reads the TLS files.
   *
   * @param base all settings except TLS
   */
  ReloadingHttpClient(OkHttpClient base, ClientConfig access, KubeSettings settings)
      throws ConfigException {
    this.base = base;
    this.access = access;
    this.settings = settings;
    this.client = base;
    this.plain =
        access.server().isHttps() || access.proxy() != null
            ? null
            : new PlaintextHttpClient(base, access.server(), probeLimit(settings.timeouts()));
    TlsOptions tls = access.tls();
    authorities = access.authorities();
    TlsOptions.IdentitySource own = tls.identity();
    identity =
        own == null
            ? null
            : new ReloadingPem<>(
                "the client certificate of " + access.source(),
                List.of(own.certificate(), own.key()),
                texts -> TlsOptions.identity(texts.getFirst(), texts.getLast()));
    try {
      var _ = withTls(RequestCredentials.NONE);
    } catch (IOException e) {
      throw new ConfigException(String.valueOf(e.getMessage()));
    }
  }

  private static Duration probeLimit(KubeSettings.Timeouts timeouts) {
    return timeouts.connect().compareTo(timeouts.request()) < 0
        ? timeouts.connect()
        : timeouts.request();
  }

  /**
   * Returns the client for the next request.
   *
   * @throws IOException if the files cannot be read and never could
   */
  OkHttpClient forRequest(RequestCredentials login) throws IOException {
    return plain == null ? withTls(login) : plain.forRequest();
  }

  private synchronized OkHttpClient withTls(RequestCredentials login) throws IOException {
    CertificateAndKey presented = login.identity();
    if (presented == null && identity != null) {
      presented = identity.current();
    }
    OkHttpTls.Material now =
        new OkHttpTls.Material(authorities == null ? List.of() : authorities.current(), presented);
    if (!Objects.equals(now, material)) {
      try {
        OkHttpClient.Builder builder = base.newBuilder();
        OkHttpTls.apply(access, settings.timeouts().ping(), now, builder);
        client = builder.build();
        material = now;
      } catch (GeneralSecurityException e) {
        throw new IOException("TLS cannot be set up: " + e.getMessage(), e);
      }
    }
    return client;
  }

  /** Returns whether a later request was made with another client. */
  synchronized boolean isOutdated(OkHttpClient made) {
    return plain == null && !made.equals(client);
  }

  /** Reports that a connection could not be made, or broke. */
  void onConnectionFailed() {
    if (plain != null) {
      plain.onConnectionFailed();
    }
  }
}
