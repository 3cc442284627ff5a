package io.watchgate.kube;

import io.watchgate.pem.Pem;
import io.watchgate.pem.PemException;
import io.watchgate.pem.PemSource;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the apiserver is recognised, and how it recognises us.
 *
 * @param authorities who may have signed its certificate; none: those that the JDK trusts
 * @param serverName the name in its certificate, if another than that of the URL; else empty
 * @param identity our certificate and key, if any
 */
record Tls(
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

  /** A client certificate, the signers of it behind it, and its key. */
  record Identity(List<X509Certificate> chain, PrivateKey key) {

    /**
     * Of what a kubeconfig or an exec plugin holds.
     *
     * @throws PemException which says which of both is wrong
     */
    static Identity of(String certificatePem, String keyPem) throws PemException {
      List<X509Certificate> chain;
      try {
        chain = Pem.certificates(certificatePem);
      } catch (PemException e) {
        throw new PemException("client-certificate " + e.getMessage());
      }
      PrivateKey key;
      try {
        key = Pem.privateKey(keyPem);
      } catch (PemException e) {
        throw new PemException("client-key " + e.getMessage());
      }
      if (!Pem.belongTogether(chain.getFirst(), key)) {
        throw new PemException("client-key is not the key of client-certificate");
      }
      return new Identity(chain, key);
    }

    @Override
    public String toString() {
      return chain.getFirst().getSubjectX500Principal().toString();
    }
  }
}
