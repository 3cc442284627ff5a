package io.watchgate.pem;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;

/** A certificate, the signers of it behind it, and its key. */
public record Identity(List<X509Certificate> chain, PrivateKey key) {

  /**
   * Reads both.
   *
   * @param certificateName what the message of an exception calls it: a file, an entry
   * @param keyName likewise
   * @throws PemException which names what cannot be used, and says why
   */
  public static Identity of(
      String certificateName, String certificatePem, String keyName, String keyPem)
      throws PemException {
    List<X509Certificate> chain;
    try {
      chain = Pem.certificates(certificatePem);
    } catch (PemException e) {
      throw new PemException(certificateName + " " + e.getMessage());
    }
    PrivateKey key;
    try {
      key = Pem.privateKey(keyPem);
    } catch (PemException e) {
      throw new PemException(keyName + " " + e.getMessage());
    }
    if (!Pem.belongTogether(chain.get(0), key)) {
      throw new PemException(keyName + " is not the key of " + certificateName);
    }
    return new Identity(chain, key);
  }

  @Override
  public String toString() {
    return chain.get(0).getSubjectX500Principal().toString();
  }
}
