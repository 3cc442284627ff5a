package io.watchgate.http;

import io.watchgate.pem.CertificateAndKey;
import io.watchgate.pem.LoopbackHandshake;
import io.watchgate.pem.PemException;
import io.watchgate.pem.PemSource;
import io.watchgate.pem.UncheckedTrustManager;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Certificate chain and private key of a server, in PEM; the key in PKCS #8, PKCS #1 or SEC 1. Read
 * when the server is created, and again when the files have changed.
 *
 * @param protocols versions of TLS that are spoken, by the names of the JDK
 */
public record TlsFiles(Path certificate, Path key, List<String> protocols, Clients clients) {
  private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

  /** Certificates of clients. */
  public enum Clients {
    NOT_REQUESTED,
    /**
     * Requested, and verified after the handshake: a client with an unknown one may present a
     * token.
     */
    REQUESTED;

    private TrustManager @Nullable [] trust() {
      return switch (this) {
        case NOT_REQUESTED -> null;
        case REQUESTED -> new TrustManager[] {new UncheckedTrustManager()};
      };
    }
  }

  public TlsFiles {
    protocols = List.copyOf(protocols);
  }

  /** Creates files of a server that speaks TLS 1.2 and 1.3. */
  public TlsFiles(Path certificate, Path key) {
    this(certificate, key, PROTOCOLS, Clients.NOT_REQUESTED);
  }

  /** Returns the files in the order of {@link #identity}. */
  List<PemSource> sources() {
    return List.of(new PemSource.InFile(certificate), new PemSource.InFile(key));
  }

  /**
   * Returns the pair in the texts of the files.
   *
   * @throws PemException if a file has an unexpected content, with the cause in one line
   */
  CertificateAndKey identity(List<String> texts) throws PemException {
    return CertificateAndKey.of(
        certificate.toString(), texts.getFirst(), key.toString(), texts.getLast());
  }

  /**
   * Returns a context that presents the pair; a handshake with it has succeeded.
   *
   * @throws PemException if no client could connect, with the cause in one line
   */
  SSLContext context(CertificateAndKey identity) throws PemException {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(identity.keyManagers(), clients.trust(), null);
      for (String protocol : protocols) {
        SSLEngine engine = context.createSSLEngine();
        LoopbackHandshake.check(engine, protocol);
      }
      return context;
    } catch (SSLException | GeneralSecurityException e) {
      throw new PemException(
          "%s and %s are not a pair that TLS can serve: %s. %s"
              .formatted(certificate, key, e.getMessage(), CertificateAndKey.SERVABLE));
    }
  }
}
