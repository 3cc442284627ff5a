package io.watchgate.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.auth.AuthMetrics;
import io.watchgate.ops.pages.PageAuthorizer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of probes without authorization, and of metrics with it. */
final class OpsServerTest {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final List<String> decided = new CopyOnWriteArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile PageAuthorizer.Verdict verdict = PageAuthorizer.Verdict.PASS;
  private volatile String notReady = "";
  private final OpsServer server = start();

  private OpsServer start() {
    try {
      OpsServer started =
          new OpsServer(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              registry,
              () -> notReady,
              (authorization, from, path) -> {
                decided.add(authorization + " " + from.getHostAddress() + " " + path);
                return verdict;
              });
      started.start();
      return started;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    server.close();
    client.close();
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Else each such request keeps a thread and a descriptor for ever. */
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"GET /metr", "GET /metrics HTTP/1.1\r\nA: b\r\n"})
  void halfARequest_isGivenUpWithinSeconds(String half) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
      assertThat(get("/livez").statusCode()).isEqualTo(200);
      assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(500);
    }
  }

  @ParameterizedTest
  @CsvSource({"PASS, 200", "UNKNOWN, 401", "DENIED, 403", "TOO_OFTEN, 429", "UNAVAILABLE, 503"})
  void metrics_needAuthorization(PageAuthorizer.Verdict decision, int status) throws Exception {
    new AuthCounters(registry).accessReviewed(AuthMetrics.Answer.YES);
    verdict = decision;

    HttpResponse<String> response = get("/metrics", "Authorization", "Bearer a");

    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body().contains("watchgate_access_reviews_total{answer=\"yes\"} 1.0"))
        .isEqualTo(status == 200);
    assertThat(decided).containsExactly("[Bearer a] 127.0.0.1 /metrics");
    get("/metrics");
    assertThat(decided.getLast()).isEqualTo("[] 127.0.0.1 /metrics");
    get("/metrics", "Authorization", "Bearer a", "Authorization", "Bearer b");
    assertThat(decided.getLast()).isEqualTo("[Bearer a, Bearer b] 127.0.0.1 /metrics");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/metrics/", "/metrics/x", "/metricsx", "/metrics/../metrics", "//metrics"})
  void metrics_underOtherPathSpellings_areNotServed(String path) throws Exception {
    new AuthCounters(registry);
    verdict = PageAuthorizer.Verdict.DENIED;

    assertThat(get(path).statusCode()).isIn(403, 404);
    verdict = PageAuthorizer.Verdict.PASS;
    assertThat(get(path).body()).doesNotContain("watchgate_");
  }

  @Test
  void probes_needNoAuthorization() throws Exception {
    verdict = PageAuthorizer.Verdict.DENIED;
    assertThat(get("/livez").statusCode()).isEqualTo(200);
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
    notReady = "it has not begun";
    HttpResponse<String> response = get("/readyz");

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body()).contains("it has not begun");
    assertThat(decided).isEmpty();
  }

  @Test
  void failingAuthorizer_servesNoMetrics() throws Exception {
    try (OpsServer failing =
        new OpsServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            registry,
            () -> "",
            (authorization, from, path) -> {
              throw new IllegalStateException("a bug");
            })) {
      failing.start();
      URI page = URI.create("http://127.0.0.1:" + failing.port() + "/metrics");

      assertThatThrownBy(
              () ->
                  client.send(
                      HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
    }
  }
}
