package io.watchgate.grpc;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.buffer.ByteBufAllocator;
import io.grpc.netty.shaded.io.netty.handler.ssl.OpenSsl;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.watchgate.pem.CertificateAndKey;
import io.watchgate.pem.LoopbackHandshake;
import io.watchgate.pem.Pem;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Implementation of TLS for a certificate and key. BoringSSL, which gRPC includes, costs a third of
 * the JDK's TLS for each handshake and byte. But it supports neither Ed25519, Ed448 nor RSA-PSS
 * keys, and for client certificates no P-521 either. The JDK supports all of them.
 */
enum TlsLibrary {
  BORING_SSL(SslProvider.OPENSSL),
  JDK(SslProvider.JDK);

  private static final Logger log = LoggerFactory.getLogger(TlsLibrary.class);

  private final SslProvider provider;

  TlsLibrary(SslProvider provider) {
    this.provider = provider;
  }

  /**
   * Returns the fastest library with which a client can connect, by handshakes in memory.
   *
   * @param protocols each of which has to work
   * @throws SSLException why the last library does not serve this pair
   */
  static TlsLibrary of(CertificateAndKey identity, List<String> protocols) throws SSLException {
    String reason = "it is not available on this platform";
    if (OpenSsl.isAvailable()) {
      try {
        BORING_SSL.check(identity, protocols);
        return BORING_SSL;
      } catch (SSLException e) {
        log.debug("BoringSSL does not serve {}", identity, e);
        reason = "it does not support this certificate or its key";
      }
    }
    JDK.check(identity, protocols);
    log.info("{}: TLS is served by the JDK, which costs more than BoringSSL: {}", identity, reason);
    return JDK;
  }

  private void check(CertificateAndKey identity, List<String> protocols) throws SSLException {
    for (String protocol : protocols) {
      SslContext context = server(identity).protocols(protocol).build();
      SSLEngine engine = context.newEngine(ByteBufAllocator.DEFAULT);
      LoopbackHandshake.check(engine, protocol);
    }
  }

  /** Returns a builder of contexts that serve this pair. */
  SslContextBuilder server(CertificateAndKey identity) {
    return GrpcSslContexts.configure(
        SslContextBuilder.forServer(identity.key(), identity.chain()), provider);
  }

  /**
   * Returns the library that also verifies clients of these authorities. An authority is assumed to
   * have a key of the same kind as the certificates that it signs.
   */
  TlsLibrary andFor(List<X509Certificate> authorities) {
    boolean known =
        authorities.stream()
            .allMatch(authority -> Pem.isKnownToBoringSsl(authority.getPublicKey()));
    return known ? this : JDK;
  }
}
