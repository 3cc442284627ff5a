package io.watchgate.pem;

import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.X509TrustManager;

/** Verifier of client certificates by some authorities and no others. Thread-safe. */
public final class ClientVerifier {
  private final X509TrustManager authorities;

  /** Creates a verifier by at least one authority. */
  public ClientVerifier(List<X509Certificate> authorities) {
    try {
      this.authorities = Pem.trusting(authorities);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK can do this", e);
    }
  }

  /**
   * Returns whether a certificate leads to an authority, is valid now, and is for clients.
   *
   * @param chain as the client sent it, its own certificate first
   */
  public boolean trusts(List<X509Certificate> chain) {
    try {
      X509Certificate[] shown = chain.toArray(new X509Certificate[0]);
      authorities.checkClientTrusted(shown, shown[0].getPublicKey().getAlgorithm());
      return true;
    } catch (CertificateException e) {
      return false;
    }
  }
}
