package io.watchgate.e2e.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;

/** Keys on the curve P-256, the curve of the test apiserver's keys. */
final class EcKeys {
  private static final String EC = "1.2.840.10045.2.1";
  private static final String P256 = "1.2.840.10045.3.1.7";

  private EcKeys() {}

  static KeyPair generate() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads an {@code EC PRIVATE KEY}, which Go writes and the JDK cannot read. */
  static PrivateKey read(Path pem) {
    try {
      byte[] sec1 = Base64.getMimeDecoder().decode(body(Files.readString(pem)));
      byte[] pkcs8 =
          Der.sequence(
              Der.integer(BigInteger.ZERO),
              Der.sequence(Der.identifier(EC), Der.identifier(P256)),
              Der.octets(sec1));
      return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(pem + " is no EC key", e);
    }
  }

  static String pem(String kind, byte[] der) {
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder().encodeToString(der)
        + "\n-----END "
        + kind
        + "-----\n";
  }

  private static String body(String pem) {
    return pem.replaceAll("-----[A-Z ]+-----", "").strip();
  }
}
