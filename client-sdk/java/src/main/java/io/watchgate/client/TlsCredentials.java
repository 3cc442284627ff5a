package io.watchgate.client;

import io.grpc.ChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettySslContextChannelCredentials;
import io.grpc.netty.shaded.io.netty.handler.ssl.OpenSslSessionContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.watchgate.pem.PemKeyManager;
import io.watchgate.pem.PemTrustManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLSessionContext;

/**
 * Channel credentials for TLS whose PEM files are read again for each connection.
 *
 * <p>BoringSSL, gRPC's usual library, does not verify signatures of Ed25519, Ed448, RSA-PSS and
 * P-521 keys. If an authority or the client's own certificate has such a key, the JDK's TLS is
 * used, which supports all of them. A gateway certificate that has such a key, but is signed by an
 * RSA or EC authority, needs {@link WatchClientBuilder#transport}. The library is chosen once for
 * each channel.
 */
public final class TlsCredentials {
  private Optional<PemTrustManager> authorities = Optional.empty();
  private Optional<PemKeyManager> identity = Optional.empty();

  /** Creates credentials that trust the authorities of this JVM and send no client certificate. */
  public TlsCredentials() {}

  /**
   * Trusts only the authorities in the PEM file.
   *
   * @throws IOException if the file cannot be used; the message names the file and the reason
   */
  public TlsCredentials trustedAuthorities(Path certificateAuthorities) throws IOException {
    authorities = Optional.of(PemTrustManager.of(certificateAuthorities));
    return this;
  }

  /**
   * Sends a client certificate.
   *
   * @throws IOException if a file cannot be used; the message names the file and the reason
   */
  public TlsCredentials clientCertificate(Path certificate, Path key) throws IOException {
    identity = Optional.of(PemKeyManager.of(certificate, key));
    return this;
  }

  /** Sends the client certificate of a key manager. */
  public TlsCredentials clientCertificate(PemKeyManager keys) {
    identity = Optional.of(keys);
    return this;
  }

  /** Returns the credentials for new channels. */
  public ChannelCredentials build() {
    boolean isUsual =
        authorities.map(PemTrustManager::isKnownToBoringSsl).orElse(true)
            && identity.map(PemKeyManager::isKnownToBoringSsl).orElse(true);
    SslContextBuilder builder = SslContextBuilder.forClient();
    authorities.ifPresent(builder::trustManager);
    identity.ifPresent(builder::keyManager);
    if (isUsual) {
      GrpcSslContexts.configure(builder);
    } else {
      GrpcSslContexts.configure(builder, SslProvider.JDK);
    }
    try {
      SslContext context = builder.build();
      if (identity.isPresent()) {
        disableResumption(context.sessionContext());
      }
      return NettySslContextChannelCredentials.create(context);
    } catch (IOException e) {
      throw new UncheckedIOException("every JDK can do this", e);
    }
  }

  /**
   * Makes each handshake send the current certificate: a resumed session would keep the previous
   * one. A session of the JDK can be resumed for a second, the shortest time that it has.
   */
  private static void disableResumption(SSLSessionContext sessions) {
    sessions.setSessionTimeout(1);
    if (sessions instanceof OpenSslSessionContext cache) {
      cache.setSessionCacheEnabled(false);
    }
  }
}
