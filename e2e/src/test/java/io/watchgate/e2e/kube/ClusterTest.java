package io.watchgate.e2e.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClusterTest {
  private static final String INITIALIZING =
      """
      {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",
       "message":"storage is (re)initializing","reason":"TooManyRequests",
       "details":{"retryAfterSeconds":1},"code":429}
      """;

  private final MockWebServer server = new MockWebServer();
  private final HeldCertificate certificate =
      new HeldCertificate.Builder()
          .addSubjectAlternativeName("localhost")
          .addSubjectAlternativeName("127.0.0.1")
          .build();

  @BeforeEach
  void start() throws IOException {
    server.useHttps(
        new HandshakeCertificates.Builder()
            .heldCertificate(certificate)
            .build()
            .sslSocketFactory());
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void initializingStorage_isRetried() {
    server.enqueue(answer(429, INITIALIZING));
    server.enqueue(answer(429, INITIALIZING));
    server.enqueue(answer(200, "{\"items\":[]}"));
    try (Cluster cluster = cluster()) {
      assertThat(cluster.list(Widgets.V1, "", Map.of()).get("items")).isEmpty();
    }
    assertThat(server.getRequestCount()).isEqualTo(3);
  }

  @Test
  void overloadedServer_isNotRetried() {
    server.enqueue(answer(429, "Too many requests, please try again later."));
    try (Cluster cluster = cluster()) {
      assertThatThrownBy(() -> cluster.list(Widgets.V1, "", Map.of()))
          .isInstanceOf(KubeException.class)
          .hasMessageContaining("429")
          .hasMessageContaining("Too many requests");
    }
  }

  private Cluster cluster() {
    return new Cluster(server.url("/").uri(), certificate.certificatePem(), "a-token");
  }

  private static MockResponse answer(int code, String body) {
    return new MockResponse.Builder().code(code).body(body).build();
  }
}
