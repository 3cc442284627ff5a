package io.watchgate.pem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CertificateBundleTest {
  private static final HeldCertificate ONE = new HeldCertificate.Builder().build();
  private static final HeldCertificate OTHER = new HeldCertificate.Builder().build();
  private static final String NO_DER =
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

  static Stream<Arguments> bundles() {
    String one = ONE.certificatePem();
    String other = OTHER.certificatePem();
    String cut = one.substring(0, one.length() / 2) + "\n";
    return Stream.of(
        Arguments.of("all good", one + other, List.of()),
        Arguments.of(
            "text around",
            "Subject: CN=a\n" + one + "# and\r\n" + other.replace("\n", "\r\n") + "end",
            List.of()),
        Arguments.of(
            "a key and white space",
            OTHER.privateKeyPkcs8Pem() + one + "\n\n  " + other,
            List.of()),
        Arguments.of("no DER", one + NO_DER + other, List.of("certificate 2: it cannot be read")),
        Arguments.of(
            "no base64",
            NO_DER.replace("AAAA", "#!") + one + other,
            List.of("certificate 1: it cannot be read")),
        Arguments.of("cut off", one + cut + other, List.of("certificate 2: it has no end")),
        Arguments.of(
            "cut off at the end", one + other + cut, List.of("certificate 3: it has no end")),
        Arguments.of(
            "several",
            NO_DER + one + NO_DER + other,
            List.of("certificate 1: it cannot be read", "certificate 3: it cannot be read")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bundles")
  void theGoodOnes_areRead(String what, String pem, List<String> unreadable) throws Exception {
    CertificateBundle bundle = CertificateBundle.of(pem);
    assertThat(bundle.certificates()).containsExactly(ONE.certificate(), OTHER.certificate());
    assertThat(bundle.unreadable()).isEqualTo(unreadable);
    assertThat(bundle.certificates("a file")).isEqualTo(bundle.certificates());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "hello", "-----END CERTIFICATE-----"})
  void withoutACertificate_isRefused(String pem) {
    assertThatThrownBy(() -> CertificateBundle.of(pem))
        .isInstanceOf(PemException.class)
        .hasMessage("holds no PEM certificate");
  }

  @Test
  void withoutAGoodOne_isRefused() {
    assertThatThrownBy(() -> CertificateBundle.of(NO_DER + NO_DER))
        .isInstanceOf(PemException.class)
        .hasMessage("holds a certificate that cannot be read, and none that can");
  }

  /** A chain that is presented to others must be complete. */
  @Test
  void aChain_isReadWholeOrNotAtAll() {
    assertThatThrownBy(() -> Pem.certificates(ONE.certificatePem() + NO_DER))
        .isInstanceOf(PemException.class);
  }
}
