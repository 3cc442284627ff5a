package io.watchgate.grpc;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import javax.security.auth.x500.X500Principal;
import okhttp3.tls.HeldCertificate;

/** X.509 certificate for 127.0.0.1 and for any kind of key, which {@link HeldCertificate} lacks. */
final class SignedCertificate {
  /** AlgorithmIdentifier of ecdsa-with-SHA256. */
  private static final String ECDSA_SHA256 = "300a06082a8648ce3d040302";

  /** Extensions: subjectAltName, an IPAddress. */
  private static final String ADDRESS = "a3133011300f0603551d110408300687047f000001";

  private SignedCertificate() {}

  /**
   * @param signer has a key on P-256
   */
  static HeldCertificate of(KeyPair pair, HeldCertificate signer) throws GeneralSecurityException {
    byte[] algorithm = HexFormat.of().parseHex(ECDSA_SHA256);
    byte[] content =
        element(
            0x30,
            HexFormat.of().parseHex("a003020102" + "020101"), // version 3, serial number 1
            algorithm,
            signer.certificate().getSubjectX500Principal().getEncoded(),
            element(0x30, time("20200101000000Z"), time("20990101000000Z")),
            new X500Principal("CN=a").getEncoded(),
            pair.getPublic().getEncoded(),
            HexFormat.of().parseHex(ADDRESS));
    Signature signature = Signature.getInstance("SHA256withECDSA");
    signature.initSign(signer.keyPair().getPrivate());
    signature.update(content);
    byte[] der = element(0x30, content, algorithm, element(0x03, new byte[1], signature.sign()));
    return new HeldCertificate(
        pair,
        (X509Certificate)
            CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(der)));
  }

  private static byte[] time(String text) {
    return element(0x18, text.getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] element(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream element = new ByteArrayOutputStream();
    element.write(tag);
    int length = content.size();
    if (length >= 0x100) {
      element.write(0x82);
      element.write(length >> 8);
    } else if (length >= 0x80) {
      element.write(0x81);
    }
    element.write(length);
    element.writeBytes(content.toByteArray());
    return element.toByteArray();
  }
}
