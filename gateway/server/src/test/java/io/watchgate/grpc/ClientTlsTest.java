package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.stub.StreamObserver;
import io.watchgate.auth.AuthSettings;
import io.watchgate.auth.CertificateUserField;
import io.watchgate.auth.Credentials;
import io.watchgate.auth.ScriptedReviewers;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchClientBuilder;
import io.watchgate.grpc.ServerTls.Clients;
import io.watchgate.pem.PemKeyManager;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import io.watchgate.proto.v1.ServerInfo;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Tests of clients of the SDK at a gateway with TLS that asks for client certificates. */
@Tag("slow")
final class ClientTlsTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String PASSWORD = "secret";
  private static final HeldCertificate CA = TestAuthority.named("ca");
  private static final HeldCertificate OTHER_CA = TestAuthority.named("other");
  private static final HeldCertificate ANN =
      new HeldCertificate.Builder().commonName("ann").signedBy(CA).build();

  private final List<AutoCloseable> opened = new ArrayList<>();
  private Path folder;
  private Path authorities;
  private Path certificate;
  private Path key;

  @BeforeEach
  void files(@TempDir Path directory) throws IOException {
    folder = directory;
    authorities = Files.writeString(folder.resolve("ca.crt"), CA.certificatePem());
    certificate = folder.resolve("ann.crt");
    key = folder.resolve("ann.key");
    write(ANN);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : opened.reversed()) {
      each.close();
    }
  }

  private static HeldCertificate expired() {
    Instant end = Instant.now().minusSeconds(60);
    return new HeldCertificate.Builder()
        .commonName("ann")
        .signedBy(CA)
        .validityInterval(end.minusSeconds(3_600).toEpochMilli(), end.toEpochMilli())
        .build();
  }

  private void write(HeldCertificate held) throws IOException {
    Files.writeString(certificate, held.certificatePem());
    Files.writeString(key, held.privateKeyPkcs8Pem());
  }

  /** Starts a gateway whose certificate has that name. */
  private int serve(String name, Path clientAuthorities) throws IOException {
    ServerFixture fixture = ServerFixture.with(tls(name, clientAuthorities));
    opened.add(fixture);
    return fixture.server.port();
  }

  private ServerTls tls() throws IOException {
    return tls("localhost", authorities);
  }

  private ServerTls tls(String name, Path clientAuthorities) throws IOException {
    HeldCertificate held =
        new HeldCertificate.Builder().addSubjectAlternativeName(name).signedBy(CA).build();
    Path chain = Files.writeString(folder.resolve(name + ".crt"), held.certificatePem());
    Path secret = Files.writeString(folder.resolve(name + ".key"), held.privateKeyPkcs8Pem());
    return new ServerTls(
        new ServerTls.Files(
            chain,
            secret,
            new Clients(clientAuthorities, Clients.Wanted.REQUIRED),
            ServerTls.MinVersion.TLS_1_3));
  }

  /** Starts a gateway that identifies callers by their certificates. */
  private ServerFixture serveKnown(ServerTls tls) {
    ServerFixture fixture =
        ServerFixture.withAccessControl(
            new AuthSettings(
                new AuthSettings.Identification(
                    List.of(),
                    Optional.empty(),
                    Optional.of(
                        new AuthSettings.Certificates(
                            CertificateUserField.COMMON_NAME, Set.of(Credentials.Port.GRPC))),
                    AuthSettings.MissingCredentials.REFUSED),
                AuthSettings.Authorization.NONE,
                AuthSettings.NONE.rechecks(),
                AuthSettings.NONE.quotas()),
            new ScriptedReviewers(),
            tls);
    opened.add(fixture);
    return fixture;
  }

  private WatchClient ann(WatchClientBuilder builder) throws IOException {
    WatchClient client = builder.clientCertificate(certificate, key).build();
    opened.add(client);
    return client;
  }

  private static void assertAnswers(WatchClient client) {
    assertThat(client.listResourceTypes(LIMIT).getServer().getServerId()).isNotEmpty();
  }

  /** A call fails shortly before its channel knows that the connection failed. */
  private static void assertAnswersSoon(WatchClient client) {
    await().ignoreExceptions().untilAsserted(() -> assertAnswers(client));
  }

  private static void assertRefused(WatchClient client, String why) {
    assertThatThrownBy(() -> client.listResourceTypes(LIMIT))
        .hasMessageStartingWith("UNAVAILABLE")
        .hasStackTraceContaining(why);
  }

  @Test
  void expiredCertificate_whenReplaced_isReloaded() throws Exception {
    int port = serve("localhost", authorities);
    write(expired());
    WatchClient client = ann(WatchClient.to("localhost", port).tls(authorities));
    assertRefused(client, "CERTIFICATE_EXPIRED");

    write(ANN);
    assertAnswersSoon(client);
  }

  /** Kinds of client certificates that no authority of the gateway signed. */
  enum Refused {
    SELF_SIGNED,
    OTHER_RSA_AUTHORITY,
    OTHER_EC_AUTHORITY,
    OTHER_AUTHORITY_OF_SAME_NAME,
    UNKNOWN_INTERMEDIATE;

    HeldCertificate certificate() {
      HeldCertificate.Builder builder = new HeldCertificate.Builder().commonName("ann");
      return switch (this) {
        case SELF_SIGNED -> builder.build();
        case OTHER_RSA_AUTHORITY ->
            builder
                .rsa2048()
                .signedBy(
                    new HeldCertificate.Builder()
                        .rsa2048()
                        .certificateAuthority(0)
                        .commonName("rsa")
                        .build())
                .build();
        case OTHER_EC_AUTHORITY -> builder.signedBy(OTHER_CA).build();
        case OTHER_AUTHORITY_OF_SAME_NAME -> builder.signedBy(TestAuthority.named("ca")).build();
        case UNKNOWN_INTERMEDIATE ->
            builder
                .signedBy(
                    new HeldCertificate.Builder()
                        .certificateAuthority(0)
                        .commonName("unlisted")
                        .signedBy(OTHER_CA)
                        .build())
                .build();
      };
    }
  }

  @ParameterizedTest
  @EnumSource
  void certificateOfUnknownAuthority_alertNamesTheAuthority(Refused refused) throws Exception {
    int port = serve("localhost", authorities);
    write(refused.certificate());

    long began = System.nanoTime();
    Logger logger = (Logger) LoggerFactory.getLogger(ClientTrustManager.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try {
      assertRefused(ann(WatchClient.to("localhost", port).tls(authorities)), "UNKNOWN_CA");
    } finally {
      logger.detachAppender(lines);
    }
    // One line for each connection; the client connects again after 0.8 s at the earliest.
    long again = Duration.ofNanos(System.nanoTime() - began).dividedBy(Duration.ofMillis(800));
    assertThat(lines.list).hasSizeBetween(1, 1 + Math.toIntExact(again));
    assertThat(lines.list.getFirst().getFormattedMessage())
        .contains("subject CN=ann", "no CA of --tls-client-ca signed it");
  }

  private static HeldCertificate valid(Duration from) {
    return new HeldCertificate.Builder()
        .commonName("ann")
        .signedBy(CA)
        .duration(from.toDays(), TimeUnit.DAYS)
        .build();
  }

  /** The connection is older than the new certificate; only another connection can show it. */
  @Test
  void expiredCertificateOfConnection_isReplacedByConnecting() throws Exception {
    ServerFixture fixture = serveKnown(tls());
    WatchClient client = ann(WatchClient.to("localhost", fixture.server.port()).tls(authorities));
    assertAnswers(client);
    fixture.stopClock(Instant.now().plus(Duration.ofDays(500)));
    assertThatThrownBy(() -> client.listResourceTypes(LIMIT)).hasMessageContaining("expired");

    write(valid(Duration.ofDays(900)));

    assertAnswersSoon(client);
  }

  /** A usual client resumes its session, which has the old certificate. */
  @Test
  void expiredCertificateOfSession_endsSessions() throws Exception {
    ServerTls tls = tls();
    ServerFixture fixture = serveKnown(tls);
    ManagedChannel channel =
        Grpc.newChannelBuilder(
                "localhost:" + fixture.server.port(),
                TlsChannelCredentials.newBuilder()
                    .trustManager(authorities.toFile())
                    .keyManager(PemKeyManager.of(certificate, key))
                    .build())
            .build();
    opened.add(channel::shutdownNow);
    WatchServiceGrpc.WatchServiceBlockingStub stub = WatchServiceGrpc.newBlockingStub(channel);
    ListResourceTypesRequest request = ListResourceTypesRequest.getDefaultInstance();
    assertThat(stub.listResourceTypes(request).getServer().getServerId()).isNotEmpty();
    fixture.stopClock(Instant.now().plus(Duration.ofDays(500)));
    assertThatThrownBy(() -> stub.listResourceTypes(request)).hasMessageContaining("expired");

    write(valid(Duration.ofDays(900)));
    tls.reload();

    await()
        .ignoreExceptions()
        .until(() -> !stub.listResourceTypes(request).getServer().getServerId().isEmpty());
  }

  @Test
  void gatewayAuthorities_whenReplaced_areReloaded() throws Exception {
    int port = serve("localhost", authorities);
    Path trusted = Files.writeString(folder.resolve("trusted.crt"), OTHER_CA.certificatePem());
    WatchClient client = ann(WatchClient.to("localhost", port).tls(trusted));
    assertRefused(client, "PKIX path");

    Files.writeString(trusted, CA.certificatePem());
    assertAnswersSoon(client);
  }

  @Test
  void replacementsThatCannotBeUsed_leaveThePreviousFilesInUse() throws Exception {
    int port = serve("localhost", authorities);
    WatchClient client = ann(WatchClient.to("localhost", port).tls(authorities));

    Files.writeString(key, OTHER_CA.privateKeyPkcs8Pem());
    Files.writeString(authorities, "half a cert");
    assertAnswers(client);
  }

  @ParameterizedTest
  @CsvSource({"RSA, PKCS #8", "RSA, PKCS #1", "EC, PKCS #8", "EC, SEC 1"})
  void aKey_ofEachForm_isShown(String algorithm, String form) throws Exception {
    HeldCertificate.Builder builder = new HeldCertificate.Builder().commonName("ann").signedBy(CA);
    HeldCertificate held =
        (algorithm.equals("RSA") ? builder.rsa2048() : builder.ecdsa256()).build();
    write(held);
    switch (form) {
      case "PKCS #1" -> Files.writeString(key, held.privateKeyPkcs1Pem());
      case "SEC 1" -> Files.writeString(key, sec1(held));
      default -> {}
    }

    assertAnswers(
        ann(WatchClient.to("localhost", serve("localhost", authorities)).tls(authorities)));
  }

  /** Encodes as in RFC 5915, with the curve and without the public key. */
  private static String sec1(HeldCertificate held) {
    byte[] secret = ((ECPrivateKey) held.keyPair().getPrivate()).getS().toByteArray();
    ByteBuffer der = ByteBuffer.allocate(51);
    der.put(new byte[] {0x30, 49, 2, 1, 1, 4, 32});
    int length = Math.min(32, secret.length);
    der.put(new byte[32 - length]).put(secret, secret.length - length, length);
    der.put(new byte[] {(byte) 0xa0, 10, 6, 8});
    der.put(new byte[] {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 3, 1, 7});
    return pem("EC PRIVATE KEY", der.array());
  }

  /** Uses the JDK's TLS on both sides, because BoringSSL verifies no such signatures. */
  @Test
  void ed25519Keys_ofBothSides_areUsed() throws Exception {
    Path store = folder.resolve("ed.p12");
    keytool(
        "-genkeypair",
        "-keyalg",
        "Ed25519",
        "-dname",
        "CN=ann",
        "-ext",
        "san=dns:localhost",
        "-keystore",
        store.toString());
    KeyStore held = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    X509Certificate ed = (X509Certificate) held.getCertificate("mykey");
    Key secret = held.getKey("mykey", PASSWORD.toCharArray());
    Files.writeString(certificate, pem("CERTIFICATE", ed.getEncoded()));
    Files.writeString(key, pem("PRIVATE KEY", secret.getEncoded()));
    SslContextBuilder context =
        SslContextBuilder.forServer((PrivateKey) secret, ed)
            .trustManager(ed)
            .clientAuth(ClientAuth.REQUIRE);
    Server answering =
        NettyServerBuilder.forPort(0)
            .sslContext(GrpcSslContexts.configure(context, SslProvider.JDK).build())
            .addService(
                new WatchServiceGrpc.WatchServiceImplBase() {
                  @Override
                  public void listResourceTypes(
                      ListResourceTypesRequest request,
                      StreamObserver<ListResourceTypesResponse> responses) {
                    ServerInfo info = ServerInfo.newBuilder().setServerId("stub").build();
                    responses.onNext(
                        ListResourceTypesResponse.newBuilder().setServer(info).build());
                    responses.onCompleted();
                  }
                })
            .build()
            .start();
    opened.add(answering::shutdownNow);

    assertAnswers(ann(WatchClient.to("localhost", answering.getPort()).tls(certificate)));
  }

  private static String pem(String label, byte[] der) {
    String body = Base64.getMimeEncoder().encodeToString(der);
    return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----\n";
  }

  private static void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  @Test
  void aServerName_isVerifiedInPlaceOfTheHostAtEachReplica() throws Exception {
    int first = serve("watchgate.test", authorities);
    int second = serve("watchgate.test", authorities);

    assertRefused(
        ann(WatchClient.to("127.0.0.1", first).and("127.0.0.1", second).tls(authorities)),
        "No subject alternative");
    assertRefused(
        ann(
            WatchClient.to("127.0.0.1", first)
                .and("127.0.0.1", second)
                .tls(authorities)
                .tlsServerName("other.test")),
        "No subject alternative DNS name matching other.test");
    assertAnswers(
        ann(WatchClient.to("127.0.0.1", first).tls(authorities).tlsServerName("watchgate.test")));
    assertAnswers(
        ann(
            WatchClient.to("127.0.0.1", 1)
                .and("127.0.0.1", second)
                .tls(authorities)
                .tlsServerName("watchgate.test")));
  }
}
