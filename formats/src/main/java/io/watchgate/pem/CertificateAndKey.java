package io.watchgate.pem;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/**
 * Certificate chain with its private key.
 *
 * @param chain certificate of the key first, then each issuer after the certificate that it signed
 */
public record CertificateAndKey(List<X509Certificate> chain, PrivateKey key) {
  /** Log text for a pair that no handshake accepts. */
  public static final String SERVABLE =
      "Use a key of RSA (2048 bits or more), EC (P-256, P-384, P-521) or Ed25519.";

  private static final char[] NO_PASSWORD = {};

  /**
   * Parses certificate and key. The texts may hold the certificates in any order, and further ones
   * and further keys, which are left out.
   *
   * @param certificateName name for exception messages: a file, an entry
   * @param keyName name for exception messages
   * @throws PemException if a part cannot be used; the message names the part and the reason
   */
  public static CertificateAndKey of(
      String certificateName, String certificatePem, String keyName, String keyPem)
      throws PemException {
    List<X509Certificate> certificates;
    try {
      certificates = Pem.certificates(certificatePem);
    } catch (PemException e) {
      throw new PemException(certificateName + " " + e.getMessage());
    }
    List<PrivateKey> keys;
    try {
      keys = Pem.privateKeys(keyPem);
    } catch (PemException e) {
      throw new PemException(keyName + " " + e.getMessage());
    }
    for (X509Certificate certificate : certificates) {
      for (PrivateKey key : keys) {
        if (Pem.isKeyOf(certificate, key)) {
          return new CertificateAndKey(inOrder(certificate, certificates), key);
        }
      }
    }
    throw new PemException(keyName + " is not the key of " + certificateName);
  }

  /**
   * Returns the chain. Java's key store refuses one with a certificate that does not continue it.
   */
  private static List<X509Certificate> inOrder(X509Certificate own, List<X509Certificate> all) {
    List<X509Certificate> chain = new ArrayList<>();
    List<X509Certificate> others = new ArrayList<>(all);
    Optional<X509Certificate> next = Optional.of(own);
    while (next.isPresent()) {
      X509Certificate signed = next.get();
      chain.add(signed);
      others.removeIf(signed::equals);
      next =
          others.stream()
              .filter(
                  other -> signed.getIssuerX500Principal().equals(other.getSubjectX500Principal()))
              .findFirst();
    }
    return List.copyOf(chain);
  }

  /** Returns key managers of the JDK that present this identity. */
  public KeyManager[] keyManagers() throws GeneralSecurityException {
    KeyStore store = Pem.emptyStore();
    store.setKeyEntry("key", key, NO_PASSWORD, chain.toArray(new X509Certificate[0]));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, NO_PASSWORD);
    return factory.getKeyManagers();
  }

  /** Returns the expiry of the certificate. */
  public Instant expiry() {
    return chain.get(0).getNotAfter().toInstant();
  }

  /**
   * Checks that this pair may replace one that is in use: a certificate that has expired, or is not
   * valid yet, never replaces a valid one.
   *
   * @param name name of this certificate, for exception messages: a file
   * @throws PemException if it may not, with the reason
   */
  public void requireMayReplace(CertificateAndKey held, String name, Instant now)
      throws PemException {
    if (!held.expiry().isAfter(now)) {
      return;
    }
    if (!expiry().isAfter(now)) {
      throw new PemException(name + " expired at " + expiry());
    }
    Instant begins = chain.get(0).getNotBefore().toInstant();
    if (begins.isAfter(now)) {
      throw new PemException(name + " is not valid before " + begins);
    }
  }

  @Override
  public String toString() {
    return chain.get(0).getSubjectX500Principal().toString();
  }
}
