package io.watchgate.pem;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trust manager of a client whose certificate authorities are in a PEM file, which is read again
 * for each handshake. The JDK's own trust manager checks the chain and the host name. Thread-safe.
 */
public final class PemTrustManager extends X509ExtendedTrustManager {
  private final ReloadingPem<X509ExtendedTrustManager> source;

  private PemTrustManager(ReloadingPem<X509ExtendedTrustManager> source) {
    this.source = source;
  }

  /**
   * Reads the file.
   *
   * @throws IOException if the file cannot be used; the message names the file and the reason
   */
  public static PemTrustManager of(Path authorities) throws IOException {
    ReloadingPem<X509ExtendedTrustManager> source =
        new ReloadingPem<>(
            "the CA certificates",
            List.of(new PemSource.InFile(authorities)),
            texts -> trusting(authorities, texts.get(0)));
    source.current();
    return new PemTrustManager(source);
  }

  private static X509ExtendedTrustManager trusting(Path file, String pem) throws PemException {
    try {
      List<X509Certificate> authorities = CertificateBundle.of(pem).certificates(file.toString());
      return Pem.trusting(authorities);
    } catch (PemException e) {
      throw new PemException(file + " " + e.getMessage());
    } catch (GeneralSecurityException e) {
      throw new PemException(file + " cannot be used: " + e.getMessage());
    }
  }

  /** Returns whether BoringSSL, the TLS library of gRPC, supports the keys of all authorities. */
  public boolean isKnownToBoringSsl() {
    return Arrays.stream(getAcceptedIssuers())
        .allMatch(of -> Pem.isKnownToBoringSsl(of.getPublicKey()));
  }

  private X509ExtendedTrustManager now() {
    try {
      return source.current();
    } catch (IOException e) {
      throw new IllegalStateException("the first content stays in use", e);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    now().checkServerTrusted(chain, type, engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    now().checkServerTrusted(chain, type, socket);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    now().checkServerTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    now().checkClientTrusted(chain, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    now().checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    now().checkClientTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return now().getAcceptedIssuers();
  }
}
