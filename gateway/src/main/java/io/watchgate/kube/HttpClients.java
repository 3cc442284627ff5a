package io.watchgate.kube;

import io.watchgate.pem.Identity;
import io.watchgate.pem.Reread;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
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
  private final KubeSettings settings;
  private final @Nullable Reread<List<X509Certificate>> authorities;
  private final @Nullable Reread<Identity> identity;
  private @Nullable TlsMaterial material;
  private OkHttpClient client;

  /** For a server that is reached without TLS and without a proxy; else null. */
  private final @Nullable PlainClients plain;

  /**
   * Reads what TLS is made with.
   *
   * @param base all but TLS
   */
  HttpClients(OkHttpClient base, ClusterAccess access, KubeSettings settings)
      throws ConfigException {
    this.base = base;
    this.access = access;
    this.settings = settings;
    this.client = base;
    this.plain =
        access.server().isHttps() || access.proxy() != null
            ? null
            : new PlainClients(base, access.server(), probeLimit(settings.timeouts()));
    Tls tls = access.tls();
    authorities = access.authorities();
    Tls.IdentitySource own = tls.identity();
    identity =
        own == null
            ? null
            : new Reread<>(
                "the client certificate of " + access.source(),
                List.of(own.certificate(), own.key()),
                texts -> Tls.identity(texts.getFirst(), texts.getLast()));
    try {
      var _ = withTls(Login.NONE);
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
   * The client to make a request with.
   *
   * @throws IOException if the files cannot be read and never could
   */
  OkHttpClient forRequest(Login login) throws IOException {
    return plain == null ? withTls(login) : plain.forRequest();
  }

  private synchronized OkHttpClient withTls(Login login) throws IOException {
    Identity shown = login.identity();
    if (shown == null && identity != null) {
      shown = identity.current();
    }
    TlsMaterial now =
        new TlsMaterial(authorities == null ? List.of() : authorities.current(), shown);
    if (!Objects.equals(now, material)) {
      try {
        OkHttpClient.Builder builder = base.newBuilder();
        TlsSockets.apply(access, settings.timeouts().ping(), now, builder);
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
    return plain == null && !made.equals(client);
  }

  /** A connection could not be made, or broke. */
  void failed() {
    if (plain != null) {
      plain.failed();
    }
  }
}
