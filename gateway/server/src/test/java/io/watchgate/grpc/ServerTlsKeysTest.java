package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;
import okhttp3.tls.HeldCertificate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of kinds and encodings of certificates and keys that a gateway serves with. */
final class ServerTlsKeysTest {
  private static final HeldCertificate ROOT =
      new HeldCertificate.Builder().certificateAuthority(1).commonName("root").build();
  private static final HeldCertificate SIGNER =
      new HeldCertificate.Builder()
          .certificateAuthority(0)
          .commonName("signer")
          .signedBy(ROOT)
          .build();
  private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

  private Path certificate;
  private Path key;
  private Path clients;

  @BeforeEach
  void files(@TempDir Path folder) {
    certificate = folder.resolve("tls.crt");
    key = folder.resolve("tls.key");
    clients = folder.resolve("ca.crt");
  }

  /** Kind of a key. */
  enum Kind {
    RSA_2048,
    RSA_PSS,
    P_256,
    P_384,
    P_521,
    ED25519,
    ED448,
    DSA,
    RSA_512;

    KeyPair generate() throws GeneralSecurityException {
      return switch (this) {
        case RSA_2048 -> generate("RSA", 2048);
        case RSA_512 -> generate("RSA", 512);
        case RSA_PSS -> generate("RSASSA-PSS", 2048);
        case DSA -> generate("DSA", 1024);
        case ED25519 -> KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        case ED448 -> KeyPairGenerator.getInstance("Ed448").generateKeyPair();
        case P_256 -> curve("secp256r1");
        case P_384 -> curve("secp384r1");
        case P_521 -> curve("secp521r1");
      };
    }

    private static KeyPair generate(String algorithm, int bits) throws GeneralSecurityException {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
      generator.initialize(bits);
      return generator.generateKeyPair();
    }

    private static KeyPair curve(String name) throws GeneralSecurityException {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec(name));
      return generator.generateKeyPair();
    }
  }

  private static HeldCertificate of(Kind kind) throws GeneralSecurityException {
    return SignedCertificate.of(kind.generate(), SIGNER);
  }

  private static String chain(HeldCertificate held) {
    return held.certificatePem() + SIGNER.certificatePem();
  }

  private void write(String certificates, String keys) throws IOException {
    Files.writeString(certificate, certificates);
    Files.writeString(key, keys);
  }

  private ServerTls tls() throws IOException {
    return tls(null);
  }

  private ServerTls tls(ServerTls.@Nullable Clients authorities) throws IOException {
    return new ServerTls(
        new ServerTls.Files(certificate, key, authorities, ServerTls.MinVersion.TLS_1_2));
  }

  private static void assertServed(ServerTls tls, @Nullable HeldCertificate client)
      throws IOException {
    try (ServerFixture fixture = ServerFixture.with(tls)) {
      for (String protocol : PROTOCOLS) {
        assertThat(new TlsHandshake(ROOT, client).isLetIn(fixture.server.port(), protocol))
            .as(protocol)
            .isTrue();
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"DSA", "RSA_512"},
      mode = EnumSource.Mode.EXCLUDE)
  void keysOfTheseKinds_areServed(Kind kind) throws Exception {
    HeldCertificate held = of(kind);
    write(chain(held), held.privateKeyPkcs8Pem());

    assertServed(tls(), null);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DSA     | tls.key is a DSA key, which TLS does not use any more",
        "RSA_512 | tls.key are not a pair that TLS can serve"
      })
  void keysOfOtherKinds_areRefusedAtTheStartAndAsReplacement(Kind kind, String why)
      throws Exception {
    HeldCertificate refused = of(kind);
    write(chain(refused), refused.privateKeyPkcs8Pem());
    assertThatThrownBy(this::tls).isInstanceOf(IOException.class).hasMessageContaining(why);

    HeldCertificate good = of(Kind.P_256);
    write(chain(good), good.privateKeyPkcs8Pem());
    ServerTls tls = tls();
    write(chain(refused), refused.privateKeyPkcs8Pem());
    tls.reload();

    assertThat(tls.isRejected()).isTrue();
    assertServed(tls, null);
  }

  @Tag("slow")
  @Test
  void replacementOfAnotherKind_isServed() throws Exception {
    HeldCertificate first = of(Kind.P_256);
    write(chain(first), first.privateKeyPkcs8Pem());
    ServerTls tls = tls();
    try (ServerFixture fixture = ServerFixture.with(tls)) {
      HeldCertificate next = of(Kind.ED25519);
      write(chain(next), next.privateKeyPkcs8Pem());
      tls.reload();

      assertThat(tls.isRejected()).isFalse();
      assertThat(new TlsHandshake(ROOT, null).shownBy(fixture.server.port()))
          .isEqualTo(next.certificate());
    }
  }

  /** The authorities determine which kinds of keys clients may have. */
  @Tag("slow")
  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"ED25519", "ED448", "RSA_PSS", "P_521"})
  void clientKeyOfTheKindOfAnAuthority_isVerified(Kind kind) throws Exception {
    HeldCertificate held = of(Kind.P_256);
    write(chain(held), held.privateKeyPkcs8Pem());
    HeldCertificate authority = SignedCertificate.of(kind.generate(), ROOT);
    Files.writeString(clients, ROOT.certificatePem() + authority.certificatePem());
    HeldCertificate client = SignedCertificate.of(kind.generate(), ROOT);

    assertServed(tls(new ServerTls.Clients(clients, ServerTls.Clients.Wanted.REQUIRED)), client);
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "PKCS #1",
        "CRLF",
        "byte order mark",
        "text around",
        "several keys",
        "signer first",
        "one file"
      })
  void otherForms_areServed(String form) throws Exception {
    HeldCertificate held = of(form.equals("PKCS #1") ? Kind.RSA_2048 : Kind.P_384);
    HeldCertificate other = of(Kind.P_256);
    String chain = chain(held);
    String pkcs8 = held.privateKeyPkcs8Pem();
    switch (form) {
      case "PKCS #1" -> write(chain, held.privateKeyPkcs1Pem());
      case "CRLF" -> write(chain.replace("\n", "\r\n"), pkcs8.replace("\n", "\r\n"));
      case "byte order mark" -> write("\uFEFF" + chain, "\uFEFF" + pkcs8);
      case "text around" -> write("subject=CN = a\n" + chain + "end", "Bag Attributes\n" + pkcs8);
      case "several keys" -> write(chain, other.privateKeyPkcs8Pem() + pkcs8);
      case "signer first" -> write(SIGNER.certificatePem() + held.certificatePem(), pkcs8);
      case "one file" -> write(pkcs8 + chain, pkcs8 + chain);
      default -> throw new IllegalArgumentException(form);
    }

    assertServed(tls(), null);
  }

  @Test
  void encryptedKey_isRefusedWithTheRemedy() throws Exception {
    String body = Base64.getMimeEncoder().encodeToString(new byte[64]);
    write(
        chain(of(Kind.P_256)),
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n" + body + "\n-----END ENCRYPTED PRIVATE KEY-----");

    assertThatThrownBy(this::tls)
        .hasMessageContainingAll("tls.key is encrypted", "openssl pkey -in FILE");
  }

  /** The file is read again until the certificate is valid. */
  @Test
  void certificateOfTheFuture_replacesNoneYet() throws Exception {
    HeldCertificate good = of(Kind.P_256);
    write(chain(good), good.privateKeyPkcs8Pem());
    ServerTls tls = tls();
    long soon = System.currentTimeMillis() + 3_600_000;
    HeldCertificate future =
        new HeldCertificate.Builder().validityInterval(soon, 2 * soon).signedBy(SIGNER).build();

    write(chain(future), future.privateKeyPkcs8Pem());
    tls.reload();

    assertThat(tls.isRejected()).isTrue();
    assertThat(tls.expiry()).isEqualTo(good.certificate().getNotAfter().toInstant());
  }

  @Test
  void expiredCertificate_isServedButReplacesNone() throws Exception {
    HeldCertificate expired =
        new HeldCertificate.Builder().validityInterval(0, 1_000).signedBy(SIGNER).build();
    write(chain(expired), expired.privateKeyPkcs8Pem());
    assertThat(tls().expiry()).isEqualTo(expired.certificate().getNotAfter().toInstant());

    HeldCertificate good = of(Kind.P_256);
    write(chain(good), good.privateKeyPkcs8Pem());
    ServerTls tls = tls();
    write(chain(expired), expired.privateKeyPkcs8Pem());
    tls.reload();

    assertThat(tls.isRejected()).isTrue();
    assertThat(tls.expiry()).isEqualTo(good.certificate().getNotAfter().toInstant());
  }
}
