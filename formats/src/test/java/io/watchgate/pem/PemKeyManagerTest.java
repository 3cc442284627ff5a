package io.watchgate.pem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Objects;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PemKeyManagerTest {
  private Path certificate;
  private Path key;

  @BeforeEach
  void files(@TempDir Path folder) {
    certificate = folder.resolve("tls.crt");
    key = folder.resolve("tls.key");
  }

  private static HeldCertificate held(long serial) {
    return new HeldCertificate.Builder().serialNumber(serial).build();
  }

  private void write(HeldCertificate of, HeldCertificate keyOf) throws IOException {
    Files.writeString(certificate, of.certificatePem());
    Files.writeString(key, keyOf.privateKeyPkcs8Pem());
  }

  private static String begin(PemKeyManager manager) {
    return manager.chooseEngineClientAlias(new String[] {"EC"}, null, null);
  }

  private static long serial(PemKeyManager manager, String alias) {
    X509Certificate[] chain = Objects.requireNonNull(manager.getCertificateChain(alias));
    return chain[0].getSerialNumber().longValueExact();
  }

  @Test
  void aReplacement_betweenTwoHandshakes_isUsedByTheSecond() throws Exception {
    HeldCertificate second = held(2);
    HeldCertificate first = held(1);
    write(first, first);
    PemKeyManager manager = PemKeyManager.of(certificate, key);
    String before = begin(manager);
    write(second, second);
    String after = begin(manager);

    assertThat(serial(manager, after)).isEqualTo(2);
    assertThat(manager.getPrivateKey(after)).isEqualTo(second.keyPair().getPrivate());
    assertThat(serial(manager, before)).as("a handshake that began before").isEqualTo(1);
    assertThat(manager.getPrivateKey(before)).isEqualTo(first.keyPair().getPrivate());
    assertThat(begin(manager)).as("the same files").isEqualTo(after);
  }

  @Test
  void aReplacementThatCannotBeUsed_leavesThePreviousPair() throws Exception {
    HeldCertificate first = held(1);
    HeldCertificate second = held(2);
    write(first, first);
    PemKeyManager manager = PemKeyManager.of(certificate, key);

    write(second, first);
    assertThat(serial(manager, begin(manager))).as("key of another certificate").isEqualTo(1);
    Files.writeString(certificate, "");
    assertThat(serial(manager, begin(manager))).as("empty").isEqualTo(1);
    Files.delete(key);
    assertThat(serial(manager, begin(manager))).as("gone").isEqualTo(1);
    write(second, second);
    assertThat(serial(manager, begin(manager))).as("complete").isEqualTo(2);
  }

  @Test
  void filesThatCannotBeUsed_areNamed() throws Exception {
    write(held(1), held(2));
    assertThatThrownBy(() -> PemKeyManager.of(certificate, key))
        .isInstanceOf(IOException.class)
        .hasMessage("the client certificate: " + key + " is not the key of " + certificate);
    Files.delete(key);
    assertThatThrownBy(() -> PemKeyManager.of(certificate, key))
        .hasMessageContaining(key + ": there is no such file");
  }
}
