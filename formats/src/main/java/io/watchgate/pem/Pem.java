package io.watchgate.pem;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.PSSParameterSpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Parser of certificates and private keys in PEM. */
public final class Pem {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);

  private static final String RSA_PSS = "RSASSA-PSS";

  private static final PSSParameterSpec PSS_SHA256 =
      new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1);

  private static final String DSA =
      "is a DSA key, which TLS does not use any more; make an RSA, EC or Ed25519 key";
  private static final int MAX_CURVE_BITS = 384;

  private Pem() {}

  private record Block(String label, String body) {
    byte[] der() throws PemException {
      return Pem.der(body);
    }
  }

  private static byte[] der(String base64) throws PemException {
    try {
      return Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new PemException("is broken PEM: not base64");
    }
  }

  private static List<Block> blocks(String pem) {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(pem);
    while (matcher.find()) {
      blocks.add(new Block(matcher.group(1), matcher.group(2)));
    }
    return blocks;
  }

  /** Returns at least one certificate. */
  public static List<X509Certificate> certificates(String pem) throws PemException {
    List<X509Certificate> certificates = new ArrayList<>();
    for (Block block : blocks(pem)) {
      if (block.label.equals("CERTIFICATE")) {
        certificates.add(certificate(block.body));
      }
    }
    if (certificates.isEmpty()) {
      throw new PemException("holds no PEM certificate");
    }
    return certificates;
  }

  static X509Certificate certificate(String base64) throws PemException {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(der(base64)));
    } catch (CertificateException e) {
      throw new PemException("holds a certificate that cannot be read");
    }
  }

  /**
   * Reads all keys in PKCS #8, PKCS #1 (RSA) or SEC 1 (EC). An unusable key is skipped if another
   * is usable.
   *
   * @return at least one
   */
  public static List<PrivateKey> privateKeys(String pem) throws PemException {
    List<PrivateKey> keys = new ArrayList<>();
    PemException first = null;
    for (Block block : blocks(pem)) {
      try {
        privateKey(block).ifPresent(keys::add);
      } catch (PemException e) {
        first = first == null ? e : first;
      }
    }
    if (keys.isEmpty()) {
      throw first == null ? new PemException("holds no PEM private key") : first;
    }
    return keys;
  }

  /** Returns empty for a block that is no key: EC PARAMETERS, or a certificate in the same file. */
  private static Optional<PrivateKey> privateKey(Block block) throws PemException {
    if (block.body.contains("ENCRYPTED") || block.label.equals("ENCRYPTED PRIVATE KEY")) {
      throw new PemException(
          "is encrypted, which is not supported; decrypt it with `openssl pkey -in FILE`");
    }
    return switch (block.label) {
      case "PRIVATE KEY" -> Optional.of(key(block.der()));
      case "RSA PRIVATE KEY" -> Optional.of(key(Pkcs8Encoder.wrapRsa(block.der())));
      case "EC PRIVATE KEY" -> Optional.of(key(Pkcs8Encoder.wrapEc(block.der())));
      case "DSA PRIVATE KEY" -> throw new PemException(DSA);
      case "OPENSSH PRIVATE KEY" ->
          throw new PemException(
              "is a key of OpenSSH; convert a copy with `ssh-keygen -p -m PKCS8 -f COPY`");
      default -> Optional.empty();
    };
  }

  private static PrivateKey key(byte[] pkcs8) throws PemException {
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(pkcs8);
    for (String algorithm : List.of("RSA", "EC", "EdDSA", RSA_PSS, "DSA")) {
      try {
        PrivateKey key = KeyFactory.getInstance(algorithm).generatePrivate(spec);
        if (algorithm.equals("DSA")) {
          throw new PemException(DSA);
        }
        return key;
      } catch (GeneralSecurityException e) {
        // another algorithm, or an invalid key; the next factory decides
      }
    }
    throw new PemException("is broken, or neither an RSA, an EC nor an Ed25519 key");
  }

  /** Returns the JDK's trust manager for exactly these authorities. */
  public static X509ExtendedTrustManager trusting(List<X509Certificate> authorities)
      throws GeneralSecurityException {
    KeyStore store = emptyStore();
    for (X509Certificate authority : authorities) {
      store.setCertificateEntry("authority-" + store.size(), authority);
    }
    return trusting(store);
  }

  /** Returns the JDK's trust manager for the authorities of this JVM. */
  public static X509ExtendedTrustManager trustingAsJvm() throws GeneralSecurityException {
    return trusting((KeyStore) null);
  }

  private static X509ExtendedTrustManager trusting(@Nullable KeyStore store)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    for (TrustManager manager : factory.getTrustManagers()) {
      if (manager instanceof X509ExtendedTrustManager extended) {
        return extended;
      }
    }
    throw new GeneralSecurityException("this JVM has no X.509 trust manager");
  }

  static KeyStore emptyStore() throws GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    try {
      store.load(null, null);
    } catch (IOException e) {
      throw new GeneralSecurityException("an empty key store is read from nowhere", e);
    }
    return store;
  }

  /** Returns whether BoringSSL verifies signatures of such a key: RSA, or EC up to P-384. */
  public static boolean isKnownToBoringSsl(Key key) {
    return key instanceof ECKey ec
        ? ec.getParams().getCurve().getField().getFieldSize() <= MAX_CURVE_BITS
        : key.getAlgorithm().equals("RSA");
  }

  /** Returns whether the certificate verifies signatures of the key. */
  public static boolean isKeyOf(X509Certificate certificate, PrivateKey key) {
    PublicKey publicKey = certificate.getPublicKey();
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          case RSA_PSS -> RSA_PSS;
          default -> "EdDSA";
        };
    try {
      Signature signature = Signature.getInstance(algorithm);
      if (key instanceof RSAKey rsa && algorithm.equals(RSA_PSS)) {
        AlgorithmParameterSpec required = rsa.getParams();
        signature.setParameter(required == null ? PSS_SHA256 : required);
      }
      signature.initSign(key);
      signature.update((byte) 1);
      byte[] signed = signature.sign();
      signature.initVerify(publicKey);
      signature.update((byte) 1);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
