package io.watchgate.kube;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client for the next request: another one once what TLS is made with was replaced (the
 * authorities, or our certificate and key, on disk or by an exec plugin). OkHttp never reuses a
 * connection for another client's TLS, so no request is made over a connection that the old
 * certificates made. A call that is under way keeps its connection, and with it a watch: an
 * apiserver checks certificates at the handshake and rights at the request, so that cutting the
 * watch would prove nothing and cost a gap; it ends by itself within its asked duration. kubectl's
 * library cuts all. Thread-safe.
 */
final class HttpClients {
  private final OkHttpClient base;
  private final ClusterAccess access;
  private final @Nullable Reread<List<X509Certificate>> authorities;
  private final @Nullable Reread<Tls.Identity> identity;
  private @Nullable TlsMaterial material;
  private OkHttpClient client;

  /**
   * Reads what TLS is made with.
   *
   * @param base all but TLS
   */
  HttpClients(OkHttpClient base, ClusterAccess access) throws ConfigException {
    this.base = base;
    this.access = access;
    this.client = base;
    Tls tls = access.tls();
    PemSource signers = tls.authorities();
    authorities =
        signers == null
            ? null
            : new Reread<>(
                "the certificate authority of " + access.source(),
                List.of(signers),
                texts -> Pem.certificates(texts.getFirst()));
    Tls.IdentitySource own = tls.identity();
    identity =
        own == null
            ? null
            : new Reread<>(
                "the client certificate of " + access.source(),
                List.of(own.certificate(), own.key()),
                texts -> Tls.Identity.of(texts.getFirst(), texts.getLast()));
    try {
      var _ = forRequest(Login.NONE);
    } catch (IOException e) {
      throw new ConfigException(String.valueOf(e.getMessage()));
    }
  }

  /**
   * The client to make a request with. Its readers may be told apart by identity.
   *
   * @throws IOException if the files cannot be read and never could
   */
  synchronized OkHttpClient forRequest(Login login) throws IOException {
    if (!access.server().isHttps()) {
      return base;
    }
    Tls.Identity shown = login.identity();
    if (shown == null && identity != null) {
      shown = identity.current();
    }
    TlsMaterial now =
        new TlsMaterial(authorities == null ? List.of() : authorities.current(), shown);
    if (!Objects.equals(now, material)) {
      try {
        OkHttpClient.Builder builder = base.newBuilder();
        TlsSockets.apply(access.tls(), now, builder);
        client = builder.build();
        material = now;
      } catch (GeneralSecurityException e) {
        throw new IOException("TLS cannot be set up: " + e.getMessage(), e);
      }
    }
    return client;
  }

  /** Whether a later request was made with another client. */
  synchronized boolean isOutdated(OkHttpClient made) {
    return !made.equals(client);
  }
}
