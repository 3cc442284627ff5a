package io.watchgate.client;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettySslContextChannelCredentials;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.watchgate.pem.PemKeyManager;
import io.watchgate.pem.PemTrustManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Channel credentials for TLS, whose PEM files are read again for each connection.
 *
 * <p>BoringSSL, gRPC's usual library, does not verify signatures of Ed25519, Ed448, RSA-PSS and
 * P-521 keys. Where an authority or the client's own certificate has such a key, the JDK's TLS is
 * used, which knows them all. A gateway's certificate with such a key that an RSA or EC authority
 * signed needs {@link WatchClientBuilder#transport}. The choice is made once for each channel.
 */
public final class TlsCredentials {
  private Optional<PemTrustManager> authorities = Optional.empty();
  private Optional<PemKeyManager> identity = Optional.empty();

  /** Credentials that trust the authorities of this JVM and show no certificate. */
  public TlsCredentials() {}

  /**
   * Trusts the authorities in the PEM file alone.
   *
   * @throws IOException which names the file and says why it cannot be used
   */
  public TlsCredentials trusting(Path certificateAuthorities) throws IOException {
    authorities = Optional.of(PemTrustManager.of(certificateAuthorities));
    return this;
  }

  /**
   * Shows a client certificate.
   *
   * @throws IOException which names the file and says why it cannot be used
   */
  public TlsCredentials showing(Path certificate, Path key) throws IOException {
    identity = Optional.of(PemKeyManager.of(certificate, key));
    return this;
  }

  /** The credentials of new channels. */
  public ChannelCredentials build() {
    boolean isUsual =
        authorities.map(PemTrustManager::isKnownToBoringSsl).orElse(true)
            && identity.map(PemKeyManager::isKnownToBoringSsl).orElse(true);
    return isUsual ? ofGrpc() : ofJdk();
  }

  private ChannelCredentials ofGrpc() {
    TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
    authorities.ifPresent(builder::trustManager);
    identity.ifPresent(builder::keyManager);
    return builder.build();
  }

  private ChannelCredentials ofJdk() {
    SslContextBuilder builder = SslContextBuilder.forClient();
    authorities.ifPresent(builder::trustManager);
    identity.ifPresent(builder::keyManager);
    builder.sessionTimeout(1); // a resumed session would show the certificate of before
    try {
      return NettySslContextChannelCredentials.create(
          GrpcSslContexts.configure(builder, SslProvider.JDK).build());
    } catch (IOException e) {
      throw new UncheckedIOException("every JDK can do this", e);
    }
  }
}
