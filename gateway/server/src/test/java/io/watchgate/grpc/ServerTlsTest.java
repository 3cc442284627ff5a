package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import okhttp3.tls.HeldCertificate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of a server with TLS whose files are replaced, and of clients with and without
 * certificates.
 */
final class ServerTlsTest {
  private static final HeldCertificate CA = TestAuthority.named("ca");
  private static final HeldCertificate OTHER_CA = TestAuthority.named("other");

  private final List<AutoCloseable> opened = new ArrayList<>();
  private Path certificate;
  private Path key;
  private Path clients;

  @BeforeEach
  void files(@TempDir Path folder) throws IOException {
    certificate = folder.resolve("tls.crt");
    key = folder.resolve("tls.key");
    clients = folder.resolve("ca.crt");
    write(server(1));
    Files.writeString(clients, CA.certificatePem());
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
  }

  private static HeldCertificate server(long serial) {
    return new HeldCertificate.Builder()
        .serialNumber(serial)
        .addSubjectAlternativeName("127.0.0.1")
        .signedBy(CA)
        .build();
  }

  private static HeldCertificate client(HeldCertificate signer) {
    return new HeldCertificate.Builder().commonName("ann").signedBy(signer).build();
  }

  private void write(HeldCertificate held) throws IOException {
    Files.writeString(certificate, held.certificatePem());
    Files.writeString(key, held.privateKeyPkcs8Pem());
  }

  private ServerTls tls(@Nullable Path authorities, ServerTls.MinVersion oldest)
      throws IOException {
    return new ServerTls(
        new ServerTls.Files(
            certificate,
            key,
            authorities == null
                ? null
                : new ServerTls.Clients(authorities, ServerTls.Clients.Wanted.REQUIRED),
            oldest));
  }

  private ServerFixture serve(ServerTls tls) {
    ServerFixture fixture = ServerFixture.with(tls);
    opened.add(fixture);
    return fixture;
  }

  /** Connects a new client that trusts the authority. */
  private HealthGrpc.HealthBlockingStub connect(
      ServerFixture fixture, @Nullable HeldCertificate identity, String... protocols)
      throws IOException {
    SslContextBuilder ssl = GrpcSslContexts.forClient().trustManager(CA.certificate());
    if (identity != null) {
      ssl.keyManager(identity.keyPair().getPrivate(), identity.certificate());
    }
    if (protocols.length > 0) {
      ssl.protocols(protocols);
    }
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", fixture.server.port())
            .sslContext(ssl.build())
            .disableRetry()
            .build();
    opened.add(channel::shutdownNow);
    return HealthGrpc.newBlockingStub(channel);
  }

  private static void assertServed(HealthGrpc.HealthBlockingStub stub) {
    assertThat(
            stub.withDeadlineAfter(3, TimeUnit.MINUTES)
                .check(HealthCheckRequest.getDefaultInstance())
                .getStatus())
        .isEqualTo(ServingStatus.SERVING);
  }

  private static void assertNotLetIn(HealthGrpc.HealthBlockingStub stub) {
    assertThatThrownBy(
            () ->
                stub.withDeadlineAfter(3, TimeUnit.MINUTES)
                    .check(HealthCheckRequest.getDefaultInstance()))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
  }

  private static long shownBy(ServerFixture fixture) throws Exception {
    return new TlsHandshake(CA, null).shownBy(fixture.server.port()).getSerialNumber().longValue();
  }

  /**
   * Else each request would count with its largest size: {@link InboundBytesLimit#beginRequest}.
   */
  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
  void requestDirectlyAfterHandshake_countsTheBytesRead(String protocol) throws Exception {
    ServerFixture fixture = serve(tls(null, ServerTls.MinVersion.TLS_1_2));
    int connections = 20;
    for (int i = 0; i < connections; i++) {
      RawStream half =
          RawStream.begin(
              (ManagedChannel) connect(fixture, null, protocol).getChannel(),
              RawStream.LIST_AND_WATCH);
      half.ask(ServerFixture.CONFIG_MAPS.toByteArray());
    }
    await().until(() -> fixture.server.incompleteBytes() >= connections * 2_048L);
    assertThat(fixture.server.incompleteBytes()).isLessThan(connections * 100_000L);
  }

  @Test
  void replacedCertificate_isUsedByNewConnections_othersStay() throws Exception {
    ServerTls tls = tls(null, ServerTls.MinVersion.TLS_1_3);
    ServerFixture fixture = serve(tls);
    HealthGrpc.HealthBlockingStub there = connect(fixture, null);
    assertServed(there);
    assertThat(shownBy(fixture)).isEqualTo(1);

    write(server(2));
    tls.reload();

    assertThat(shownBy(fixture)).isEqualTo(2);
    assertServed(there);
    assertServed(connect(fixture, null));
    assertThat(tls.isRejected()).isFalse();
  }

  /** Two files are replaced one after the other. */
  @Test
  void certificateWithoutItsKey_isNotUsed() throws Exception {
    ServerTls tls = tls(null, ServerTls.MinVersion.TLS_1_3);
    ServerFixture fixture = serve(tls);
    HeldCertificate next = server(2);
    Instant before = tls.expiry();

    Files.writeString(certificate, next.certificatePem());
    tls.reload();
    assertThat(tls.isRejected()).isTrue();
    assertThat(shownBy(fixture)).isEqualTo(1);
    assertThat(tls.expiry()).isEqualTo(before);

    Files.delete(key);
    tls.reload();
    assertThat(tls.isRejected()).isTrue();
    assertThat(shownBy(fixture)).isEqualTo(1);

    Files.writeString(key, next.privateKeyPkcs8Pem());
    tls.reload();
    assertThat(tls.isRejected()).isFalse();
    assertThat(shownBy(fixture)).isEqualTo(2);
  }

  @Test
  void clientOfAnotherAuthority_isRefused() throws Exception {
    ServerFixture fixture = serve(tls(clients, ServerTls.MinVersion.TLS_1_3));
    HeldCertificate expired =
        new HeldCertificate.Builder().validityInterval(0, 1_000).signedBy(CA).build();

    assertServed(connect(fixture, client(CA)));
    assertNotLetIn(connect(fixture, null));
    assertNotLetIn(connect(fixture, client(OTHER_CA)));
    assertNotLetIn(connect(fixture, expired));
  }

  @Test
  void replacedAuthority_admitsOnlyItsClients() throws Exception {
    ServerTls tls = tls(clients, ServerTls.MinVersion.TLS_1_3);
    ServerFixture fixture = serve(tls);
    HealthGrpc.HealthBlockingStub there = connect(fixture, client(CA));
    assertServed(there);

    Files.writeString(clients, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    tls.reload();
    assertThat(tls.isRejected()).isTrue();
    assertServed(connect(fixture, client(CA)));

    Files.writeString(clients, OTHER_CA.certificatePem());
    tls.reload();
    assertThat(tls.isRejected()).isFalse();
    assertServed(connect(fixture, client(OTHER_CA)));
    assertNotLetIn(connect(fixture, client(CA)));
    assertServed(there);
  }

  @Test
  void clientOfARemovedAuthority_isNoLongerTrusted() throws Exception {
    ServerTls tls = tls(clients, ServerTls.MinVersion.TLS_1_3);
    HeldCertificate between =
        new HeldCertificate.Builder().certificateAuthority(0).signedBy(CA).build();
    List<X509Certificate> direct = List.of(client(CA).certificate());
    List<X509Certificate> led =
        List.of(client(between).certificate(), between.certificate(), CA.certificate());
    List<X509Certificate> foreign = List.of(client(OTHER_CA).certificate());
    assertThat(tls.trusts(direct)).isTrue();
    assertThat(tls.trusts(led)).isTrue();
    assertThat(tls.trusts(foreign)).isFalse();

    Files.writeString(clients, OTHER_CA.certificatePem());
    tls.reload();

    assertThat(tls.trusts(direct)).isFalse();
    assertThat(tls.trusts(led)).isFalse();
    assertThat(tls.trusts(foreign)).isTrue();
    assertThat(tls(null, ServerTls.MinVersion.TLS_1_3).trusts(direct)).isFalse();
  }

  /** A resumed session sends no certificate. */
  @Test
  void oldSession_afterAuthorityChange_isNotResumed() throws Exception {
    ServerTls tls = tls(clients, ServerTls.MinVersion.TLS_1_2);
    ServerFixture fixture = serve(tls);
    TlsHandshake ann = new TlsHandshake(CA, client(CA));
    for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
      assertThat(ann.isLetIn(fixture.server.port(), protocol)).as(protocol).isTrue();
    }

    Files.writeString(clients, OTHER_CA.certificatePem());
    tls.reload();

    for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
      assertThat(ann.isLetIn(fixture.server.port(), protocol)).as(protocol).isFalse();
    }
  }

  @Test
  void tls12_isAcceptedOnlyIfAllowed() throws Exception {
    ServerFixture strict = serve(tls(null, ServerTls.MinVersion.TLS_1_3));
    ServerFixture lenient = serve(tls(null, ServerTls.MinVersion.TLS_1_2));

    assertNotLetIn(connect(strict, null, "TLSv1.2"));
    assertServed(connect(lenient, null, "TLSv1.2"));
    assertServed(connect(lenient, null, "TLSv1.3"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tls.crt | absent    | there is no such file",
        "tls.crt | garbage   | holds no PEM certificate",
        "tls.key | absent    | there is no such file",
        "tls.key | garbage   | holds no PEM private key",
        "tls.key | otherKey  | tls.key is not the key of",
        "tls.key | encrypted | is encrypted",
        "ca.crt  | absent    | there is no such file",
        "ca.crt  | garbage   | holds no PEM certificate"
      })
  void unusableFile_isNamedAtStart(String name, String content, String why) throws IOException {
    Path file = certificate.resolveSibling(name);
    switch (content) {
      case "absent" -> Files.delete(file);
      case "garbage" -> Files.writeString(file, "not PEM");
      case "otherKey" -> Files.writeString(file, server(3).privateKeyPkcs8Pem());
      default ->
          Files.writeString(
              file,
              "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");
    }

    assertThatThrownBy(() -> tls(clients, ServerTls.MinVersion.TLS_1_3))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(name, why);
  }
}
