package io.watchgate.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.kube.KubeCluster;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.Kubeconfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Waiting for the apiserver at the start, after any kind of error response. */
final class ClusterIdentityTest {
  private static final String JSON = "application/json";

  @TempDir private Path folder;
  private MockWebServer server;
  private final Deque<Answer> answers = new ArrayDeque<>();

  private record Answer(int code, String type, String body) {}

  @BeforeEach
  void start() throws IOException {
    server = new MockWebServer();
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return answer(request.getUrl().encodedPath());
          }
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private synchronized MockResponse answer(String path) {
    boolean asked = path.endsWith("/kube-system");
    Answer answer = asked ? answers.remove() : new Answer(404, "text/plain", "404 page not found");
    return new MockResponse.Builder()
        .code(answer.code)
        .addHeader("Content-Type", answer.type)
        .body(answer.body)
        .build();
  }

  private static Answer status(int code, String reason) {
    return new Answer(
        code,
        JSON,
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"%s\",\"code\":%d}"
            .formatted(reason, code));
  }

  private KubeCluster cluster() throws Exception {
    Path kubeconfig =
        Files.writeString(
            folder.resolve("config"),
            """
            clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
            contexts: [{name: c, context: {cluster: c, user: u}}]
            users: [{name: u, user: {}}]
            current-context: c
            """
                .formatted(server.getPort()));
    return KubeCluster.of(Kubeconfig.load(kubeconfig, ""), KubeSettings.DEFAULT, System::nanoTime);
  }

  @Test
  void await_apiserverErrors_retriesUntilAnswer() throws Exception {
    answers.add(status(500, ""));
    answers.add(new Answer(404, "text/html", "<html>no such page</html>"));
    answers.add(new Answer(502, "text/html", "<html>bad gateway</html>"));
    answers.add(status(403, "Forbidden"));
    answers.add(status(401, "Unauthorized"));
    answers.add(status(404, "NotFound"));
    answers.add(new Answer(200, JSON, "{\"metadata\":{}}"));
    answers.add(new Answer(200, JSON, "{\"metadata\":{\"uid\":\"c-1\"}}"));
    List<String> reasons = new ArrayList<>();
    try (KubeCluster cluster = cluster()) {
      String uid =
          new ClusterIdentity(cluster, "", new CountDownLatch(1), Duration.ofMillis(1))
              .await(failure -> reasons.add(failure.message()));

      assertThat(uid).isEqualTo("c-1");
    }
    assertThat(reasons).hasSize(7);
    assertThat(reasons.get(1)).contains("is this the URL of an apiserver?");
    assertThat(reasons.get(3)).contains("grant the gateway get on the namespace kube-system");
  }
}
