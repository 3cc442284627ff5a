package io.watchgate.pem;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and private keys as kubeconfigs hold them. */
public final class Pem {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);

  private Pem() {}

  private record Block(String label, String body) {
    byte[] der() throws PemException {
      try {
        return Base64.getMimeDecoder().decode(body);
      } catch (IllegalArgumentException e) {
        throw new PemException("is broken PEM: not base64");
      }
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

  /** At least one. */
  public static List<X509Certificate> certificates(String pem) throws PemException {
    List<X509Certificate> certificates = new ArrayList<>();
    for (Block block : blocks(pem)) {
      if (block.label.equals("CERTIFICATE")) {
        certificates.add(certificate(block.der()));
      }
    }
    if (certificates.isEmpty()) {
      throw new PemException("holds no PEM certificate");
    }
    return certificates;
  }

  private static X509Certificate certificate(byte[] der) throws PemException {
    try {
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(der));
    } catch (CertificateException e) {
      throw new PemException("holds a certificate that cannot be read");
    }
  }

  /** The first key, in PKCS #8, PKCS #1 (RSA) or SEC 1 (EC). */
  public static PrivateKey privateKey(String pem) throws PemException {
    for (Block block : blocks(pem)) {
      if (block.body.contains("ENCRYPTED") || block.label.equals("ENCRYPTED PRIVATE KEY")) {
        throw new PemException(
            "is encrypted, which is not supported; decrypt it with `openssl pkey -in FILE`");
      }
      switch (block.label) {
        case "PRIVATE KEY" -> {
          return key(block.der());
        }
        case "RSA PRIVATE KEY" -> {
          return key(Pkcs8.wrapRsa(block.der()));
        }
        case "EC PRIVATE KEY" -> {
          return key(Pkcs8.wrapEc(block.der()));
        }
        default -> {} // EC PARAMETERS, a certificate in the same file
      }
    }
    throw new PemException("holds no PEM private key");
  }

  private static PrivateKey key(byte[] pkcs8) throws PemException {
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(pkcs8);
    for (String algorithm : List.of("RSA", "EC", "EdDSA")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (GeneralSecurityException e) {
        // Of another algorithm, or broken; the next tells.
      }
    }
    throw new PemException("is broken, or neither an RSA, an EC nor an Ed25519 key");
  }

  /** Whether what the key signs is valid by the certificate. */
  public static boolean belongTogether(X509Certificate certificate, PrivateKey key) {
    PublicKey publicKey = certificate.getPublicKey();
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> "EdDSA";
        };
    try {
      Signature signature = Signature.getInstance(algorithm);
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
