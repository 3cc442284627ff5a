package io.watchgate.pem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PemTest {
  private static final HeldCertificate RSA = new HeldCertificate.Builder().rsa2048().build();
  private static final HeldCertificate EC = new HeldCertificate.Builder().ecdsa256().build();

  private static String pem(String label, byte[] der) {
    String body = Base64.getMimeEncoder().encodeToString(der);
    return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
  }

  /** RFC 5915, with the curve and without the public key. */
  private static byte[] sec1(PrivateKey key) {
    byte[] secret = ((ECPrivateKey) key).getS().toByteArray();
    byte[] padded = new byte[32];
    int length = Math.min(32, secret.length);
    System.arraycopy(secret, secret.length - length, padded, 32 - length, length);
    ByteArrayOutputStream der = new ByteArrayOutputStream();
    der.writeBytes(new byte[] {0x30, 49, 2, 1, 1, 4, 32});
    der.writeBytes(padded);
    der.writeBytes(new byte[] {(byte) 0xa0, 10, 6, 8});
    der.writeBytes(new byte[] {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 3, 1, 7});
    return der.toByteArray();
  }

  private static PrivateKey privateKey(String pem) throws PemException {
    return Pem.privateKeys(pem).getFirst();
  }

  @Test
  void keysAreReadInPkcs8() throws Exception {
    for (HeldCertificate held : new HeldCertificate[] {RSA, EC}) {
      PrivateKey key = privateKey(held.privateKeyPkcs8Pem());
      assertThat(key).isEqualTo(held.keyPair().getPrivate());
      assertThat(Pem.isKeyOf(held.certificate(), key)).isTrue();
    }
    assertThat(Pem.isKeyOf(RSA.certificate(), EC.keyPair().getPrivate())).isFalse();
    assertThat(
            Pem.isKeyOf(
                new HeldCertificate.Builder().ecdsa256().build().certificate(),
                EC.keyPair().getPrivate()))
        .isFalse();
  }

  @Test
  void rsaKeysAreReadInPkcs1() throws Exception {
    String pem = RSA.privateKeyPkcs1Pem();
    assertThat(pem).contains("BEGIN RSA PRIVATE KEY");
    assertThat(privateKey(pem)).isEqualTo(RSA.keyPair().getPrivate());
  }

  @Test
  void ecKeysAreReadInSec1AlsoBehindTheirParameters() throws Exception {
    String key = pem("EC PRIVATE KEY", sec1(EC.keyPair().getPrivate()));
    PrivateKey read = privateKey(key);
    assertThat(((ECPrivateKey) read).getS())
        .isEqualTo(((ECPrivateKey) EC.keyPair().getPrivate()).getS());
    assertThat(Pem.isKeyOf(EC.certificate(), read)).isTrue();
    String parameters =
        pem(
            "EC PARAMETERS",
            new byte[] {6, 8, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 3, 1, 7});
    assertThat(privateKey(parameters + key)).isEqualTo(read);
  }

  @Test
  void edwardsKeysAreRead() throws Exception {
    PrivateKey key = KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate();
    assertThat(privateKey(pem("PRIVATE KEY", key.getEncoded()))).isEqualTo(key);
  }

  @Test
  void pair_isFoundAmongSeveralKeysAndCertificatesInAnyOrder() throws Exception {
    HeldCertificate root = new HeldCertificate.Builder().certificateAuthority(1).build();
    HeldCertificate signer =
        new HeldCertificate.Builder().certificateAuthority(0).signedBy(root).build();
    HeldCertificate own = new HeldCertificate.Builder().signedBy(signer).build();

    CertificateAndKey identity =
        CertificateAndKey.of(
            "c",
            root.certificatePem() + own.certificatePem() + signer.certificatePem(),
            "k",
            EC.privateKeyPkcs8Pem() + own.privateKeyPkcs8Pem());

    assertThat(identity.chain())
        .containsExactly(own.certificate(), signer.certificate(), root.certificate());
    assertThat(identity.key()).isEqualTo(own.keyPair().getPrivate());
  }

  @Test
  void certificateThatDoesNotContinueTheChain_isLeftOut() throws Exception {
    CertificateAndKey identity =
        CertificateAndKey.of(
            "c", EC.certificatePem() + RSA.certificatePem(), "k", EC.privateKeyPkcs8Pem());

    assertThat(identity.chain()).containsExactly(EC.certificate());
    assertThat(identity.keyManagers()).isNotEmpty();
  }

  @Test
  void expiredOrEarlyCertificate_mayReplaceOnlyAnExpiredOne() throws Exception {
    Instant now = Instant.now();
    CertificateAndKey valid = validBetween(now.minusSeconds(60), now.plusSeconds(60));
    CertificateAndKey expired = validBetween(now.minusSeconds(60), now.minusSeconds(1));
    CertificateAndKey early = validBetween(now.plusSeconds(30), now.plusSeconds(60));
    assertThatThrownBy(() -> expired.requireMayReplace(valid, "c", now))
        .hasMessageStartingWith("c expired at");
    assertThatThrownBy(() -> early.requireMayReplace(valid, "c", now))
        .hasMessageStartingWith("c is not valid before");
    valid.requireMayReplace(valid, "c", now);
    early.requireMayReplace(expired, "c", now);
  }

  private static CertificateAndKey validBetween(Instant from, Instant to) {
    HeldCertificate held =
        new HeldCertificate.Builder()
            .validityInterval(from.toEpochMilli(), to.toEpochMilli())
            .build();
    return new CertificateAndKey(List.of(held.certificate()), held.keyPair().getPrivate());
  }

  @Test
  void rsaPssKey_isRead() throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSASSA-PSS");
    generator.initialize(2048);
    HeldCertificate held =
        new HeldCertificate.Builder().keyPair(generator.generateKeyPair()).signedBy(EC).build();
    PrivateKey key = privateKey(held.privateKeyPkcs8Pem());
    assertThat(Pem.isKeyOf(held.certificate(), key)).isTrue();
    assertThat(Pem.isKeyOf(RSA.certificate(), key)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {"DSA PRIVATE KEY; is a DSA key", "OPENSSH PRIVATE KEY; is a key of OpenSSH"})
  void keyOfAnotherUse_isNamed(String label, String problem) {
    assertThatThrownBy(() -> privateKey(pem(label, new byte[] {1})))
        .isInstanceOf(PemException.class)
        .hasMessageStartingWith(problem);
  }

  @Test
  void aKeyThatIsCutAtAnyByteIsRefused() {
    byte[] whole = sec1(EC.keyPair().getPrivate());
    for (int length = 0; length < whole.length; length++) {
      String cut = pem("EC PRIVATE KEY", Arrays.copyOf(whole, length));
      assertThatThrownBy(() -> privateKey(cut)).isInstanceOf(PemException.class);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; holds no PEM private key",
        "BEGIN; holds no PEM private key",
        "-----BEGIN PRIVATE KEY-----AAAA-----END PRIVATE KEY-----; is broken, or neither an RSA",
        "-----BEGIN RSA PRIVATE KEY-----AAAA-----END RSA PRIVATE KEY-----; is broken, or neither",
        "-----BEGIN EC PRIVATE KEY-----AAAA-----END EC PRIVATE KEY-----; is broken, or an EC key",
        "-----BEGIN PRIVATE KEY-----A-----END PRIVATE KEY-----; is broken PEM: not base64",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----AAAA-----END ENCRYPTED PRIVATE KEY-----; is"
            + " encrypted",
      })
  void whatIsNoKeyIsRefused(String text, String problem) {
    assertThatThrownBy(() -> privateKey(text))
        .isInstanceOf(PemException.class)
        .hasMessageStartingWith(problem);
  }

  @Test
  void anOldStyleEncryptedKeyIsRefused() {
    String text =
        """
        -----BEGIN RSA PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,0011

        AAAA
        -----END RSA PRIVATE KEY-----
        """;
    assertThatThrownBy(() -> privateKey(text))
        .isInstanceOf(PemException.class)
        .hasMessageStartingWith("is encrypted");
  }
}
