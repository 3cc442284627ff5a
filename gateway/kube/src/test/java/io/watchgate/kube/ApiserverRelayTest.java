package io.watchgate.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.relay.Relay;
import io.watchgate.relay.Relay.Field;
import io.watchgate.relay.Relay.RelayedRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import okio.Buffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ApiserverRelayTest {
  private static final HeldCertificate AUTHORITY =
      new HeldCertificate.Builder().certificateAuthority(0).build();
  private static final HeldCertificate SERVER =
      new HeldCertificate.Builder()
          .signedBy(AUTHORITY)
          .addSubjectAlternativeName("127.0.0.1")
          .build();
  private static final HeldCertificate GATEWAY =
      new HeldCertificate.Builder().signedBy(AUTHORITY).commonName("gateway").build();

  @TempDir private Path folder;
  private final MockWebServer apiserver = new MockWebServer();
  private ApiserverRelay client;

  /** Starts an apiserver that wants a client certificate, and a client whose kubeconfig has one. */
  @BeforeEach
  void start() throws Exception {
    apiserver.useHttps(
        new HandshakeCertificates.Builder()
            .heldCertificate(SERVER)
            .addTrustedCertificate(AUTHORITY.certificate())
            .build()
            .sslSocketFactory());
    apiserver.requestClientAuth();
    apiserver.start();
    client = ApiserverRelay.of(config(""), KubeSettings.DEFAULT);
  }

  private ClientConfig config(String path) throws IOException, ConfigException {
    Path kubeconfig = folder.resolve("config");
    Files.writeString(
        kubeconfig,
        """
        {"apiVersion": "v1", "kind": "Config", "current-context": "c",
         "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:%d%s",
           "certificate-authority": "%s"}}],
         "users": [{"name": "c", "user": {"token": "the-gateways",
           "client-certificate": "%s", "client-key": "%s", "as": "somebody"}}],
         "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}]}
        """
            .formatted(
                apiserver.getPort(),
                path,
                file("ca", AUTHORITY.certificatePem()),
                file("crt", GATEWAY.certificatePem()),
                file("key", GATEWAY.privateKeyPkcs8Pem())));
    return Kubeconfig.load(kubeconfig, "");
  }

  private Path file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }

  @AfterEach
  void stop() {
    client.close();
    apiserver.close();
  }

  private static RelayedRequest get(String path, Field... headers) {
    return new RelayedRequest("GET", path, List.of(headers), null, Duration.ofMinutes(3));
  }

  private RecordedRequest sent(RelayedRequest request) throws Exception {
    apiserver.enqueue(new MockResponse.Builder().body("x").build());
    try (Relay.Call call = client.prepare(request)) {
      assertThat(call.execute().code()).isEqualTo(200);
    }
    return apiserver.takeRequest();
  }

  @Test
  void request_hasNoCredentialsOfTheGateway() throws Exception {
    RecordedRequest request = sent(get("/version"));
    assertThat(request.getHeaders().names()).doesNotContain("Authorization", "Impersonate-User");
    assertThat(request.getHandshakeServerNames()).isEmpty();
    assertThat(Objects.requireNonNull(request.getHandshake()).peerCertificates()).isEmpty();
  }

  @Test
  void request_hasTheCallersHeaders() throws Exception {
    RecordedRequest request =
        sent(get("/version", new Field("Authorization", "Bearer t"), new Field("X", "é")));
    assertThat(request.getHeaders().get("Authorization")).isEqualTo("Bearer t");
    assertThat(request.getHeaders().get("Accept-Encoding")).isEqualTo("identity");
  }

  /** Whatever the path is, the request goes to the apiserver. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "//10.0.0.9:10250/pods",
        "/@10.0.0.9/pods",
        "/:80/x",
        "/api?resourceVersion=0&labelSelector=a%3Db",
        "/a%2Fb/c+d?e=%zz&f",
      })
  void path_neverChangesTheServer(String path) throws Exception {
    RecordedRequest request = sent(get(path));
    assertThat(request.getTarget()).startsWith("/");
    assertThat(apiserver.getRequestCount()).isEqualTo(1);
  }

  /** The library would resolve them, so that the path is not the one that was checked. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/x;\\..\\api\\v1\\namespaces",
        "/\\\\10.0.0.9/pods",
        "/api/../version",
        "/api/./version",
        "/api/%2e%2e/version"
      })
  void pathWithDotsOrBackslashes_isNotSent(String path) {
    assertThatThrownBy(() -> client.prepare(get(path)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ambiguous");
    assertThat(apiserver.getRequestCount()).isZero();
  }

  @Test
  void query_isPassedAsItIs() throws Exception {
    String path = "/api/v1/pods?labelSelector=a%3Db%2Cc+in+%28d%29&x=%2F&y";
    assertThat(sent(get(path)).getTarget()).isEqualTo(path);
  }

  @Test
  void pathOfTheServer_isPutFirst() throws Exception {
    client.close();
    client = ApiserverRelay.of(config("/clusters/one"), KubeSettings.DEFAULT);
    assertThat(sent(get("/api?x=1")).getTarget()).isEqualTo("/clusters/one/api?x=1");
  }

  @Test
  void compressedAnswer_staysCompressed() throws Exception {
    byte[] gzip = {31, -117, 8, 0, 1, 2, 3};
    apiserver.enqueue(
        new MockResponse.Builder()
            .setHeader("Content-Encoding", "gzip")
            .body(new Buffer().write(gzip))
            .build());
    try (Relay.Call call = client.prepare(get("/x", new Field("Accept-Encoding", "gzip")))) {
      Relay.Answer answer = call.execute();
      assertThat(answer.headers()).contains(new Field("Content-Encoding", "gzip"));
      assertThat(answer.body().readAllBytes()).isEqualTo(gzip);
    }
  }

  @Test
  void redirect_isPassedBack() throws Exception {
    apiserver.enqueue(
        new MockResponse.Builder().code(302).setHeader("Location", "https://elsewhere/").build());
    try (Relay.Call call = client.prepare(get("/x"))) {
      assertThat(call.execute().code()).isEqualTo(302);
    }
    assertThat(apiserver.getRequestCount()).isEqualTo(1);
  }

  /** A write that was sent may have been executed; one without a connection was not. */
  @Test
  void failureBeforeConnection_isDistinct() throws Exception {
    apiserver.enqueue(
        new MockResponse.Builder()
            .onResponseStart(SocketEffect.ShutdownConnection.INSTANCE)
            .build());
    try (Relay.Call call = client.prepare(get("/x"))) {
      assertThatThrownBy(call::execute)
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(Relay.NotSentException.class);
    }
    apiserver.close();
    try (Relay.Call call = client.prepare(get("/x"))) {
      assertThatThrownBy(call::execute).isInstanceOf(Relay.NotSentException.class);
    }
  }

  @Test
  void body_isSent() throws Exception {
    apiserver.enqueue(new MockResponse.Builder().code(201).build());
    RelayedRequest request =
        new RelayedRequest(
            "POST",
            "/x",
            List.of(new Field("Content-Type", "application/json")),
            new ByteArrayInputStream("{}".getBytes(StandardCharsets.UTF_8)),
            Duration.ofMinutes(3));
    try (Relay.Call call = client.prepare(request)) {
      assertThat(call.execute().code()).isEqualTo(201);
    }
    RecordedRequest sent = apiserver.takeRequest();
    assertThat(Objects.requireNonNull(sent.getBody()).utf8()).isEqualTo("{}");
    assertThat(sent.getHeaders().get("Content-Type")).isEqualTo("application/json");
  }

  @Test
  void cancelledCall_endsWithAReason() throws Exception {
    try (Relay.Call call = client.prepare(get("/silent"))) {
      Thread canceller =
          Thread.ofVirtual()
              .start(
                  () -> {
                    await().until(() -> apiserver.getRequestCount() == 1);
                    call.cancel();
                  });
      assertThatThrownBy(call::execute)
          .isInstanceOf(IOException.class)
          .hasMessage("no answer came in time");
      canceller.join();
    }
  }

  @Test
  void unreachableApiserver_isNamed() {
    apiserver.close();
    assertThatThrownBy(
            () -> {
              try (Relay.Call call = client.prepare(get("/x"))) {
                call.execute();
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("127.0.0.1");
  }
}
