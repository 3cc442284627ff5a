package io.watchgate.kube;

import io.watchgate.pem.CertificateAndKey;
import io.watchgate.pem.PemException;
import io.watchgate.pem.PemSource;
import org.jspecify.annotations.Nullable;

/**
 * TLS options: verification of the apiserver, and the client's certificate.
 *
 * @param authorities authorities that may sign the apiserver's certificate; null: the JDK's
 * @param serverName the name in its certificate if it differs from the URL's; else empty
 * @param identity source of the client's certificate and key, if any
 */
record TlsOptions(
    Verification verification,
    @Nullable PemSource authorities,
    String serverName,
    @Nullable IdentitySource identity) {

  /** Verification of the apiserver's certificate. */
  enum Verification {
    FULL,
    SKIPPED
  }

  /** Sources of the client's certificate and key. */
  record IdentitySource(PemSource certificate, PemSource key) {}

  /**
   * Returns a certificate and key of a kubeconfig or an exec plugin.
   *
   * @throws PemException if one is invalid; the message names it
   */
  static CertificateAndKey identity(String certificatePem, String keyPem) throws PemException {
    return CertificateAndKey.of("client-certificate", certificatePem, "client-key", keyPem);
  }
}
