package io.watchgate.e2e.access;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import javax.security.auth.x500.X500Principal;

/**
 * Client certificate with its key, both in PEM. The JDK cannot create certificates, and OkHttp's
 * certificates have no groups (O).
 */
record ClientCertificate(String certificate, String key) {
  private static final byte[] ECDSA_SHA256 = Der.sequence(Der.identifier("1.2.840.10045.4.3.2"));
  private static final byte[] EXTENDED_USAGE = Der.identifier("2.5.29.37");
  private static final byte[] CONSTRAINTS = Der.identifier("2.5.29.19");
  private static final byte[] CLIENT_AUTH = Der.identifier("1.3.6.1.5.5.7.3.2");
  private static final Duration BACK = Duration.ofHours(1);

  /** Issuer: signs with its own key as a foreign authority, else with the apiserver's key. */
  record Authority(X500Principal name, PrivateKey key) {
    static Authority of(Apiserver apiserver) {
      try (InputStream pem = Files.newInputStream(apiserver.file(Credential.AUTHORITY))) {
        X509Certificate read =
            (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(pem);
        return new Authority(
            read.getSubjectX500Principal(), EcKeys.read(apiserver.file(Credential.AUTHORITY_KEY)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Returns another authority with the same name. */
    Authority forged() {
      return new Authority(name, EcKeys.generate().getPrivate());
    }
  }

  /**
   * Returns a signed certificate.
   *
   * @param subject such as {@code CN=alice, O=developers, O=testers}
   * @param expires may be in the past
   */
  static ClientCertificate signed(Authority by, String subject, Instant expires) {
    KeyPair pair = EcKeys.generate();
    Instant now = Instant.now();
    byte[] body =
        Der.sequence(
            Der.element(0xa0, Der.integer(BigInteger.TWO)),
            Der.integer(new BigInteger(62, new SecureRandom()).add(BigInteger.ONE)),
            ECDSA_SHA256,
            by.name.getEncoded(),
            Der.sequence(
                Der.time((expires.isBefore(now) ? expires : now).minus(BACK)), Der.time(expires)),
            new X500Principal(subject).getEncoded(),
            pair.getPublic().getEncoded(),
            Der.element(
                0xa3,
                Der.sequence(
                    extension(CONSTRAINTS, Der.sequence()),
                    extension(EXTENDED_USAGE, Der.sequence(CLIENT_AUTH)))));
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(by.key);
      signature.update(body);
      byte[] whole = Der.sequence(body, ECDSA_SHA256, Der.bits(signature.sign()));
      return new ClientCertificate(
          EcKeys.pem("CERTIFICATE", whole),
          EcKeys.pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] extension(byte[] identifier, byte[] value) {
    return Der.sequence(identifier, Der.octets(value));
  }
}
