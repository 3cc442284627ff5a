package io.watchgate.kube;

import io.watchgate.pem.CertificateAndKey;
import io.watchgate.pem.PemException;
import io.watchgate.pem.PemSource;
import org.jspecify.annotations.Nullable;

/**
 * How the apiserver is recognised, and how it recognises us.
 *
 * @param authorities who may have signed its certificate; none: those that the JDK trusts
 * @param serverName the name in its certificate, if another than that of the URL; else empty
 * @param identity our certificate and key, if any
 */
record TlsOptions(
    Verification verification,
    @Nullable PemSource authorities,
    String serverName,
    @Nullable IdentitySource identity) {

  /** Whether the apiserver has to prove who it is. */
  enum Verification {
    FULL,
    SKIPPED
  }

  /** Where our certificate and its key stand. */
  record IdentitySource(PemSource certificate, PemSource key) {}

  /**
   * Of what a kubeconfig or an exec plugin holds.
   *
   * @throws PemException which says which of both is wrong
   */
  static CertificateAndKey identity(String certificatePem, String keyPem) throws PemException {
    return CertificateAndKey.of("client-certificate", certificatePem, "client-key", keyPem);
  }
}
