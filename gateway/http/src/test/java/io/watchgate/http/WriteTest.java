package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.http.StatusException.Details;
import io.watchgate.http.WriteRequest.Method;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of write requests to {@link WriteBackend}, and of its responses to clients. */
final class WriteTest {
  private static final String POD = TestObject.of("a", "p").at(7).json(TestCatalog.PODS);

  private final BlockingQueue<WriteRequest> requests = new LinkedBlockingQueue<>();
  private final TestServer server =
      new TestServer(new TestCatalog(), this::answer, TestServer.SETTINGS);

  @AfterEach
  void close() {
    server.close();
  }

  private WriteBackend.Answer answer(WriteRequest request) throws StatusException {
    requests.add(request);
    return switch (request.path().name()) {
      case "taken" ->
          throw new StatusException(
              409, "Conflict", "it has <changed>", new Details("taken", "", "pods", List.of(), 0));
      case "broken" -> throw new IllegalStateException("as if by a mistake");
      case "gone" ->
          new WriteBackend.Answer(
              200, "{\"kind\":\"Status\",\"apiVersion\":\"v1\"}".getBytes(StandardCharsets.UTF_8));
      default -> new WriteBackend.Answer(201, POD.getBytes(StandardCharsets.UTF_8));
    };
  }

  @Test
  void write_isPassedToTheBackendCompletely() throws InterruptedException {
    HttpResponse<String> answer =
        server.send(
            "POST",
            "/api/v1/namespaces/a/pods?fieldManager=me&dryRun=All&dryRun=None",
            "{\"ü\":1}",
            "Content-Type",
            "Application/JSON; charset=utf-8",
            "User-Agent",
            "tester/1");
    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(answer.body()).isEqualTo(POD + "\n");
    WriteRequest request = requests.take();
    assertThat(request.method()).isEqualTo(Method.POST);
    assertThat(request.path().namespace()).isEqualTo("a");
    assertThat(request.query()).containsEntry("fieldManager", "me").containsEntry("dryRun", "All");
    assertThat(request.contentType()).isEqualTo("application/json");
    assertThat(request.userAgent()).isEqualTo("tester/1");
    assertThat(new String(request.body(), StandardCharsets.UTF_8)).isEqualTo("{\"ü\":1}");
  }

  @ParameterizedTest
  @CsvSource({
    "POST,/api/v1/namespaces/a/pods,201",
    "POST,/api/v1/namespaces/a/pods/p,405",
    "POST,/api/v1/namespaces/a/pods/p/binding,201",
    "POST,/api/v1/namespaces/a/pods/p/status,405",
    "POST,/api/v1/watch/pods,405",
    "POST,/api/v1/foo,404",
    "POST,/version,405",
    "PUT,/api/v1/namespaces/a/pods/p,201",
    "PUT,/api/v1/namespaces/a/pods,405",
    "PUT,/api/v1/namespaces/a/pods/p/status,201",
    "PATCH,/api/v1/namespaces/a/pods/p,201",
    "PATCH,/api/v1/namespaces/a/pods,405",
    "PATCH,/apis/apps/v1/namespaces/a/deployments/d/scale,201",
    "PATCH,/apis/apps/v1/namespaces/a/deployments/d/other,404",
    "DELETE,/api/v1/namespaces/a/pods/p,201",
    "DELETE,/api/v1/namespaces/a/pods,201",
    "OPTIONS,/api/v1/namespaces/a/pods,405"
  })
  void onlyDiscoveredVerbs_arePassedOn(String method, String path, int code) {
    assertThat(server.send(method, path, "{}").statusCode()).isEqualTo(code);
    assertThat(requests).hasSize(code == 201 ? 1 : 0);
  }

  @Test
  void refusal_isAStatus() {
    HttpResponse<String> answer = server.send("PUT", "/api/v1/namespaces/a/pods/taken", "{}");
    assertThat(answer.statusCode()).isEqualTo(409);
    assertThat(answer.body())
        .isEqualTo(
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"it"
                + " has \\u003cchanged\\u003e\",\"reason\":\"Conflict\",\"details\":{\"name\":\"taken\",\"kind\":\"pods\"},\"code\":409}\n");
  }

  @Test
  void internalError_revealsNoInternals() {
    HttpResponse<String> answer = server.send("PUT", "/api/v1/namespaces/a/pods/broken", "{}");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body())
        .contains("\"reason\":\"InternalError\"")
        .doesNotContain("mistake", "Exception");
  }

  @Test
  void response_hasTheRequestedFormat() {
    String partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    assertThat(server.send("POST", "/api/v1/namespaces/a/pods", "{}", "Accept", partial).body())
        .startsWith("{\"kind\":\"PartialObjectMetadata\",");
    String table = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json";
    assertThat(server.send("POST", "/api/v1/namespaces/a/pods", "{}", "Accept", table).body())
        .startsWith("{\"kind\":\"Table\",");
    assertThat(server.send("DELETE", "/api/v1/namespaces/a/pods/gone", "", "Accept", table).body())
        .isEqualTo("{\"kind\":\"Status\",\"apiVersion\":\"v1\"}\n");
  }

  @Test
  void unsupportedFormat_isRefusedBeforeTheWrite() {
    assertThat(
            server
                .send("POST", "/api/v1/namespaces/a/pods", "{}", "Accept", "application/yaml")
                .statusCode())
        .isEqualTo(406);
    assertThat(requests).isEmpty();
  }

  @Test
  void tooLargeBody_isRefused() {
    int limit = TestServer.SETTINGS.maxBodyBytes();
    HttpResponse<String> answer =
        server.send("POST", "/api/v1/namespaces/a/pods", "x".repeat(limit + 1));
    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body())
        .contains("\"message\":\"Request entity too large: limit is 3145728\"")
        .contains("\"reason\":\"RequestEntityTooLarge\"");
    assertThat(requests).isEmpty();
    assertThat(server.send("POST", "/api/v1/namespaces/a/pods", "x".repeat(limit)).statusCode())
        .isEqualTo(201);
  }
}
