package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.FanoutSettings;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPrivateKey;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import okio.BufferedSource;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the transport: HTTP/1.1, HTTP/2, TLS, the address. */
@Timeout(300)
final class TransportTest {
  private static final HeldCertificate CERTIFICATE =
      new HeldCertificate.Builder().addSubjectAlternativeName("127.0.0.1").build();

  private final TestCatalog catalog = new TestCatalog();

  @TempDir Path dir;

  private HttpServer server(@Nullable TlsFiles tls) throws IOException {
    return server(tls, 0);
  }

  private HttpServer server(@Nullable TlsFiles tls, int port) throws IOException {
    return new HttpServer(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        tls,
        catalog,
        null,
        TimeSource.SYSTEM,
        TestServer.SETTINGS,
        FanoutSettings.DEFAULTS);
  }

  private TlsFiles files(String certificate, String key) throws IOException {
    return new TlsFiles(
        Files.writeString(dir.resolve("tls.crt"), certificate),
        Files.writeString(dir.resolve("tls.key"), key));
  }

  private HttpServer tlsServer() throws IOException {
    return server(files(CERTIFICATE.certificatePem(), CERTIFICATE.privateKeyPkcs8Pem()));
  }

  /** Returns a client that offers a protocol over TLS, and HTTP/1.1, which each has to offer. */
  private static OkHttpClient offering(Protocol protocol) {
    return client(
        protocol == Protocol.HTTP_1_1 ? List.of(protocol) : List.of(protocol, Protocol.HTTP_1_1));
  }

  private static OkHttpClient client(List<Protocol> protocols) {
    HandshakeCertificates trusted =
        new HandshakeCertificates.Builder()
            .addTrustedCertificate(CERTIFICATE.certificate())
            .build();
    return new OkHttpClient.Builder()
        .protocols(protocols)
        .sslSocketFactory(trusted.sslSocketFactory(), trusted.trustManager())
        .readTimeout(TestServer.LIMIT)
        .build();
  }

  /** Sends a list and a watch, which ends when the server does. */
  private void listAndWatch(
      HttpServer server, OkHttpClient client, String scheme, Protocol expected) throws IOException {
    TestObject map = catalog.putConfigMap("a", "c1");
    String json = map.json(TestCatalog.CONFIG_MAPS);
    String url = scheme + "://127.0.0.1:" + server.port() + "/api/v1/configmaps";
    try (Response list = client.newCall(new Request.Builder().url(url).build()).execute()) {
      assertThat(list.protocol()).isEqualTo(expected);
      assertThat(list.body().string()).contains(map.item());
    }
    Request watching = new Request.Builder().url(url + "?watch=1").build();
    try (Response watch = client.newCall(watching).execute()) {
      BufferedSource frames = watch.body().source();
      assertThat(frames.readUtf8Line()).isEqualTo(TestWatch.frame("ADDED", json));
      TestObject next = catalog.putConfigMap("a", "c1");
      assertThat(frames.readUtf8Line())
          .isEqualTo(TestWatch.frame("MODIFIED", next.json(TestCatalog.CONFIG_MAPS)));
      server.closeWithin(TestServer.LIMIT);
      assertThat(frames.readUtf8Line()).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Protocol.class,
      names = {"HTTP_1_1", "H2_PRIOR_KNOWLEDGE"})
  void plainPort_servesHttp1AndHttp2(Protocol protocol) throws IOException {
    try (HttpServer server = server(null)) {
      server.start();
      listAndWatch(server, client(List.of(protocol)), "http", protocol);
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(
      value = Protocol.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void tls_negotiatesTheProtocol(Protocol protocol) throws IOException {
    try (HttpServer server = tlsServer()) {
      server.start();
      listAndWatch(server, offering(protocol), "https", protocol);
    }
  }

  /** A client whose watch is ended needs another connection, and so reaches another replica. */
  @Tag("slow")
  @ParameterizedTest
  @EnumSource(
      value = Protocol.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void drainedConnection_isNotUsedAgain(Protocol protocol) throws IOException {
    catalog.putConfigMap("a", "c1");
    try (HttpServer server = tlsServer()) {
      server.start();
      OkHttpClient client = offering(protocol);
      String url = "https://127.0.0.1:" + server.port() + "/api/v1/configmaps";
      try (Response watch =
          client.newCall(new Request.Builder().url(url + "?watch=1").build()).execute()) {
        assertThat(watch.protocol()).isEqualTo(protocol);
        assertThat(watch.body().source().readUtf8Line()).contains("c1");
        server.drain(Duration.ZERO, Duration.ZERO);
        assertThat(watch.body().source().readUtf8Line()).isNull();
      }
      Request list = new Request.Builder().url(url).build();
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> client.newCall(list).execute().close())
                      .isInstanceOf(ConnectException.class));
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(
      value = Protocol.class,
      names = {"HTTP_1_1", "H2_PRIOR_KNOWLEDGE"})
  void quietWatch_isOpenAfterTheIdleTimeout(Protocol protocol) throws IOException {
    HttpSettings hasty = TestServer.settings(Duration.ofSeconds(5));
    try (TestServer server = new TestServer(catalog, null, hasty)) {
      // Three times the idle timeout, which a busy machine may nearly need for the request.
      String url = server.uri("/api/v1/configmaps?watch=1&timeoutSeconds=15").toString();
      Request watching = new Request.Builder().url(url).build();
      try (Response watch = client(List.of(protocol)).newCall(watching).execute()) {
        assertThat(watch.body().string()).isEmpty();
      }
    }
  }

  /**
   * Watches of one connection share its writes. A watch whose client reads late does not delay the
   * others, and gets all of its events.
   */
  @Tag("slow")
  @Test
  void watchesOfOneConnection_haveAllEventsInOrder() throws Exception {
    int events = 300;
    TlsFiles files = files(CERTIFICATE.certificatePem(), CERTIFICATE.privateKeyPkcs8Pem());
    OkHttpClient client = client(List.of(Protocol.HTTP_2, Protocol.HTTP_1_1));
    List<Response> watches = new ArrayList<>();
    try (HttpServer server = server(files)) {
      server.start();
      String url = "https://127.0.0.1:" + server.port() + "/api/v1/configmaps?watch=1";
      for (int i = 0; i < 60; i++) {
        watches.add(client.newCall(new Request.Builder().url(url).build()).execute());
        assertThat(watches.getLast().protocol()).isEqualTo(Protocol.HTTP_2);
      }
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < events; i++) {
        String kind = i == 0 ? "ADDED" : "MODIFIED";
        TestObject map = catalog.putConfigMap("a", "c1");
        sent.add(TestWatch.frame(kind, map.json(TestCatalog.CONFIG_MAPS)));
        for (int reader = 1; reader < watches.size(); reader++) {
          assertThat(watches.get(reader).body().source().readUtf8Line()).isEqualTo(sent.getLast());
        }
      }
      BufferedSource late = watches.getFirst().body().source();
      for (String frame : sent) {
        assertThat(late.readUtf8Line()).isEqualTo(frame);
      }
    } finally {
      watches.forEach(Response::close);
    }
  }

  @Test
  void chunkOfAnEvent_isCompleteWhenItIsSent() throws IOException {
    try (TestServer server =
            new TestServer(catalog, null, TestServer.settings(Duration.ofMinutes(1)));
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(Math.toIntExact(TestServer.LIMIT.toMillis()));
      String watch = "GET /api/v1/configmaps?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n";
      socket.getOutputStream().write(watch.getBytes(StandardCharsets.US_ASCII));
      await().until(() -> catalog.openSources() == 1);
      catalog.putConfigMap("a", "c1");
      StringBuilder answer = new StringBuilder();
      while (!answer.toString().endsWith("}\n\r\n")) {
        int read = socket.getInputStream().read();
        assertThat(read).isNotNegative();
        answer.append((char) read);
      }
    }
  }

  @Test
  void incompleteRequest_timesOut() throws IOException {
    HttpSettings hasty = TestServer.settings(Duration.ofMillis(50));
    try (TestServer server = new TestServer(catalog, null, hasty);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.getOutputStream().write("GET /ap".getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(500);
    }
  }

  @Test
  void usedPort_isReportedInOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HttpServer server = server(null, taken.getLocalPort())) {
      assertThatThrownBy(server::start)
          .isInstanceOf(IOException.class)
          .hasMessageMatching("cannot listen on \\S+:" + taken.getLocalPort() + ": \\V*in use\\V*");
      server.drain(
          Duration.ZERO, Duration.ZERO); // as a gateway does that ends after a failed start
    }
  }

  @Tag("slow")
  @Test
  void keysInPkcs1AndSec1_areServed() throws Exception {
    HeldCertificate rsa =
        new HeldCertificate.Builder().rsa2048().addSubjectAlternativeName("127.0.0.1").build();
    assertServed(rsa, rsa.privateKeyPkcs1Pem());
    assertServed(CERTIFICATE, sec1Pem(CERTIFICATE));
  }

  /** Behind a port-forward the client checks another name than that of the address. */
  @Test
  void hostThatTheCertificateDoesNotName_isServed() throws Exception {
    HeldCertificate held =
        new HeldCertificate.Builder().addSubjectAlternativeName("watchgate.test").build();
    try (HttpServer server = server(files(held.certificatePem(), held.privateKeyPkcs8Pem()))) {
      server.start();
      HandshakeCertificates trusted =
          new HandshakeCertificates.Builder().addTrustedCertificate(held.certificate()).build();
      OkHttpClient client =
          new OkHttpClient.Builder()
              .sslSocketFactory(trusted.sslSocketFactory(), trusted.trustManager())
              .hostnameVerifier((host, session) -> true)
              .readTimeout(TestServer.LIMIT)
              .build();
      try (Response answer =
          client
              .newCall(
                  new Request.Builder()
                      .url("https://localhost:" + server.port() + "/api/v1/configmaps")
                      .build())
              .execute()) {
        assertThat(answer.code()).isEqualTo(200);
      }
    }
  }

  @Tag("slow")
  @Test
  void ed25519Key_isServed() throws Exception {
    HeldCertificate held =
        new HeldCertificate.Builder()
            .keyPair(KeyPairGenerator.getInstance("Ed25519").generateKeyPair())
            .addSubjectAlternativeName("127.0.0.1")
            .signedBy(CERTIFICATE)
            .build();
    assertServed(held, held.privateKeyPkcs8Pem());
  }

  private void assertServed(HeldCertificate held, String key) throws Exception {
    try (HttpServer server = server(files(held.certificatePem(), key))) {
      server.start();
      HandshakeCertificates trusted =
          new HandshakeCertificates.Builder().addTrustedCertificate(held.certificate()).build();
      try (SSLSocket socket =
          (SSLSocket)
              trusted.sslContext().getSocketFactory().createSocket("127.0.0.1", server.port())) {
        socket.startHandshake();
        assertThat(socket.getSession().getPeerCertificates()[0]).isEqualTo(held.certificate());
      }
    }
  }

  /** Encodes as in RFC 5915, with the curve P-256 and without the public key. */
  private static String sec1Pem(HeldCertificate held) {
    byte[] der = new byte[51];
    byte[] secret = ((ECPrivateKey) held.keyPair().getPrivate()).getS().toByteArray();
    int length = Math.min(32, secret.length);
    System.arraycopy(new byte[] {0x30, 49, 2, 1, 1, 4, 32}, 0, der, 0, 7);
    System.arraycopy(secret, secret.length - length, der, 39 - length, length);
    byte[] curve = {(byte) 0xa0, 10, 6, 8, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 3, 1, 7};
    System.arraycopy(curve, 0, der, 39, curve.length);
    return "-----BEGIN EC PRIVATE KEY-----\n"
        + Base64.getMimeEncoder().encodeToString(der)
        + "\n-----END EC PRIVATE KEY-----\n";
  }

  @Test
  void certificateThatIsNotValidNow_replacesNoValidOne() throws Exception {
    HeldCertificate expired = validBetween(Duration.ofDays(-2), Duration.ofDays(-1));
    HeldCertificate early = validBetween(Duration.ofDays(1), Duration.ofDays(2));
    HeldCertificate next = validBetween(Duration.ofDays(-1), Duration.ofDays(2));
    SslContextFactory.Server factory = new SslContextFactory.Server();
    TlsContext context =
        new TlsContext(
            files(CERTIFICATE.certificatePem(), CERTIFICATE.privateKeyPkcs8Pem()),
            InstantSource.system());
    SSLContext first = context.current();
    factory.setSslContext(first);
    factory.start();
    for (HeldCertificate unusable : List.of(expired, early)) {
      files(unusable.certificatePem(), unusable.privateKeyPkcs8Pem());
      context.reload(factory, Runnable::run);
      assertThat(context.current()).isSameAs(first);
    }
    files(next.certificatePem(), next.privateKeyPkcs8Pem());
    context.reload(factory, Runnable::run);
    assertThat(context.current()).isNotSameAs(first);
    factory.stop();
  }

  private static HeldCertificate validBetween(Duration from, Duration to) {
    long now = System.currentTimeMillis();
    return new HeldCertificate.Builder()
        .addSubjectAlternativeName("127.0.0.1")
        .validityInterval(now + from.toMillis(), now + to.toMillis())
        .build();
  }

  /** A program that ends cancels all its watches at once. */
  @Test
  void manyWatchesOfOneConnection_areCancelledTogether_othersGoOn() throws Exception {
    try (HttpServer server = server(null)) {
      server.start();
      OkHttpClient client =
          new OkHttpClient.Builder()
              .protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE))
              .readTimeout(TestServer.LIMIT)
              .build();
      Request watching =
          new Request.Builder()
              .url("http://127.0.0.1:%d/api/v1/configmaps?watch=1".formatted(server.port()))
              .build();
      List<Call> calls = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        Call call = client.newCall(watching);
        call.execute(); // its headers come at once
        calls.add(call);
      }
      Call other = client.newCall(watching);
      try (Response watch = other.execute()) {
        assertThat(server.watches()).isEqualTo(301);
        calls.forEach(Call::cancel);
        await().untilAsserted(() -> assertThat(server.watches()).isEqualTo(1));
        catalog.putConfigMap("a", "c1");
        assertThat(watch.body().source().readUtf8Line()).contains("ADDED");
      }
    }
  }

  @Test
  void invalidPemFiles_areReported() throws Exception {
    String key = CERTIFICATE.privateKeyPkcs8Pem();
    assertThatThrownBy(() -> server(files("nothing", key)))
        .hasMessageEndingWith("tls.crt holds no PEM certificate");
    String broken = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    assertThatThrownBy(() -> server(files(CERTIFICATE.certificatePem(), broken)))
        .hasMessageContaining("tls.key is broken");
    String other = new HeldCertificate.Builder().build().privateKeyPkcs8Pem();
    assertThatThrownBy(() -> server(files(CERTIFICATE.certificatePem(), other)))
        .hasMessageContainingAll("tls.key is not the key of", "tls.crt");
    assertThatThrownBy(() -> server(new TlsFiles(dir.resolve("none"), dir.resolve("none"))))
        .hasMessageContainingAll("cannot read", "none: there is no such file");
  }

  @Test
  void nonHttpRequest_isRefusedInOneLine() throws IOException {
    try (HttpServer server = server(null)) {
      server.start();
      try (var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        socket.getOutputStream().write("\1\2\3\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(answer).startsWith("HTTP/1.1 400 ").doesNotContain("Exception", "\tat ");
      }
    }
  }
}
