package io.watchgate.e2e.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithApiserver
@Requires(RequiredTool.PYTHON)
class PythonClientTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @Test
  void getsTheSnapshotThenChangesAndGoesOnWhereItEnded(Apiserver apiserver, @TempDir Path folder)
      throws Exception {
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace("python");
    create(cluster, "kept");
    create(cluster, "changed");
    PythonEnvironment python = PythonEnvironment.prepare();
    String[] arguments = {
      "configmaps", "-n", "python", "--token-file", folder.resolve("token").toString()
    };
    try (GatewayUnderTest gateway = gateway(apiserver)) {
      try (WatchProgram first = watch(python, gateway, arguments)) {
        await()
            .atMost(LIMIT)
            .untilAsserted(
                () ->
                    assertThat(first.story())
                        .containsExactlyInAnyOrder(
                            "ADDED python/kept", "ADDED python/changed", "SYNCED"));
        change(cluster, "changed", "one");
        cluster.delete(Resource.CONFIGMAPS, "python", "kept");
        await()
            .atMost(LIMIT)
            .untilAsserted(
                () ->
                    assertThat(first.story())
                        .endsWith("SYNCED", "MODIFIED python/changed", "DELETED python/kept"));
        assertThat(first.stop()).isZero();
      }
      change(cluster, "changed", "two");
      try (WatchProgram second = watch(python, gateway, arguments)) {
        await()
            .atMost(LIMIT)
            .untilAsserted(
                () ->
                    assertThat(second.story())
                        .containsExactly("RESUMED", "MODIFIED python/changed"));
        assertThat(second.lastValue().at("/data/value").textValue()).isEqualTo("two");
        assertThat(second.stop()).isZero();
      }
    }
  }

  @Test
  void isToldWhyItIsRefused(Apiserver apiserver) throws Exception {
    PythonEnvironment python = PythonEnvironment.prepare();
    try (GatewayUnderTest gateway = gateway(apiserver);
        WatchProgram refused = watch(python, gateway, "configmaps", "-l", "app in (web")) {
      assertThat(refused.end()).isEqualTo(1);
      assertThat(refused.story()).containsExactly("ERROR");
      JsonNode error = refused.lastValue();
      assertThat(error.get("status").textValue()).isEqualTo("INVALID_ARGUMENT");
      assertThat(error.get("reason").textValue()).isEqualTo("SELECTOR_INVALID");
      assertThat(error.get("domain").textValue()).isEqualTo("watchgate.io");
      assertThat(error.get("trailer").textValue()).isEqualTo("SELECTOR_INVALID");
      assertThat(error.get("action").textValue()).isEqualTo("STOP");
    }
  }

  private static GatewayUnderTest gateway(Apiserver apiserver) {
    return GatewayUnderTest.start(apiserver.kubeconfig(), GatewaySetup.AS_SERVED);
  }

  private static WatchProgram watch(
      PythonEnvironment python, GatewayUnderTest gateway, String... arguments) throws IOException {
    String server = "127.0.0.1:" + gateway.port();
    return new WatchProgram(
        python.watch(Stream.concat(Stream.of("--server", server), Stream.of(arguments))));
  }

  private static void create(Cluster cluster, String name) {
    cluster.create(
        Resource.CONFIGMAPS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"ConfigMap",
             "metadata":{"namespace":"python","name":"%s"},"data":{"value":"zero"}}
            """
                .formatted(name)));
  }

  private static void change(Cluster cluster, String name, String value) {
    cluster.patch(Resource.CONFIGMAPS, "python", name, "{\"data\":{\"value\":\"" + value + "\"}}");
  }
}
