package io.watchgate.e2e.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.program.GoProgram;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tests with a tool that has no generated code and no proto file: it learns the service by
 * reflection.
 */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GrpcurlTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Pattern OBJECT = Pattern.compile("\"object\": \"(.*)\"");
  private static final String SERVICE = "watchgate.v1.WatchService";

  private Cluster cluster;
  private GatewayUnderTest gateway;
  private Program grpcurl;

  @BeforeAll
  void start(Apiserver apiserver) throws Exception {
    cluster = apiserver.cluster();
    gateway = GatewayUnderTest.start(apiserver.kubeconfig(), GatewaySetup.AS_SERVED);
    grpcurl =
        GoProgram.build(
            Repository.root().resolve("e2e/tools"), "github.com/fullstorydev/grpcurl/cmd/grpcurl");
  }

  @AfterAll
  void stop() {
    gateway.close();
  }

  @Test
  void listsAndDescribesTheService() throws Exception {
    String address = address();
    assertThat(grpcurl.and("-plaintext", address, "list").run().lines())
        .contains(SERVICE, "grpc.health.v1.Health");
    assertThat(grpcurl.and("-plaintext", address, "describe", SERVICE).run())
        .contains(
            "rpc ListAndWatch ( .watchgate.v1.ListAndWatchRequest )"
                + " returns ( stream .watchgate.v1.ListAndWatchResponse );");
    assertThat(grpcurl.and("-plaintext", address, "describe", "watchgate.v1.Selection").run())
        .contains("string label_selector = 3;");
  }

  @Test
  void listsTheTypes() throws Exception {
    JsonNode answer =
        Json.parse(grpcurl.and("-plaintext", address(), SERVICE + "/ListResourceTypes").run());
    assertThat(answer.get("types"))
        .anySatisfy(
            type ->
                assertThat(type.at("/resource_type/resource").textValue()).isEqualTo("configmaps"));
    assertThat(answer.at("/server/cluster_id").textValue()).isNotEmpty();
  }

  @Test
  void watches() throws Exception {
    cluster.createNamespace("grpcurl");
    String request =
        """
        {"selection": {"resource_type": {"resource": "configmaps"}, "label_selector": "app=web"}}
        """;
    try (RunningProgram watch =
        grpcurl.and("-plaintext", "-d", request, address(), SERVICE + "/ListAndWatch").start()) {
      await().atMost(LIMIT).until(() -> String.join("", watch.out()).contains("\"synced\""));
      JsonNode created =
          cluster.create(
              Resource.CONFIGMAPS,
              Json.parse(
                  """
                  {"apiVersion":"v1","kind":"ConfigMap","metadata":
                   {"namespace":"grpcurl","name":"first","labels":{"app":"web"}}}
                  """));
      await().atMost(LIMIT).untilAsserted(() -> assertThat(objects(watch)).contains(created));
    }
  }

  @Test
  void refusal_isReadable() {
    Program refused =
        grpcurl.and("-v", "-plaintext", "-d", "{}", address(), SERVICE + "/ListAndWatch");
    assertThatThrownBy(refused::run)
        .hasMessageContaining("Code: InvalidArgument")
        .hasMessageContaining("watchgate-reason: FIELD_REQUIRED")
        .hasMessageContaining("watchgate-action: STOP");
  }

  /** Returns the objects printed so far; bytes are base64 in protobuf's JSON. */
  private static List<JsonNode> objects(RunningProgram watch) {
    return watch.out().stream()
        .map(OBJECT::matcher)
        .filter(Matcher::find)
        .map(line -> Json.parse(Base64.getDecoder().decode(line.group(1))))
        .toList();
  }

  private String address() {
    return "127.0.0.1:" + gateway.port();
  }
}
