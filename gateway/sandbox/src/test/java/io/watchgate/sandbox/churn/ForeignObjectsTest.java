package io.watchgate.sandbox.churn;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.VirtualTime;
import io.watchgate.http.ApiPath;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteRequest;
import io.watchgate.http.WriteRequest.Method;
import io.watchgate.sandbox.Sandbox;
import io.watchgate.sandbox.SandboxSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the simulation with objects of other clients: it continues, and also runs these objects.
 */
final class ForeignObjectsTest {
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String SETS = "/apis/apps/v1/namespaces/default/replicasets";

  private final VirtualTime time = new VirtualTime();
  private final Sandbox sandbox =
      Sandbox.create(
          new SandboxSettings(
              CacheSettings.forHeap(64 << 20),
              64 << 20,
              Duration.ofHours(1),
              Duration.ofSeconds(30),
              1),
          time.source(),
          time);
  private final Simulation simulation =
      new Simulation(sandbox.catalog(), sandbox.writes(), new ChurnSettings(2, 1), time.source());
  private final ClusterClient cluster = new ClusterClient(sandbox.catalog(), sandbox.writes());

  @AfterEach
  void close() {
    cluster.close();
    simulation.close();
    sandbox.close();
  }

  private void send(Method method, String path, String media, String body) throws StatusException {
    ApiPath where = ApiPath.parse(path).orElseThrow();
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    var _ = sandbox.writes().answer(new WriteRequest(method, where, Map.of(), media, "", bytes));
  }

  private void post(String path, String body) throws StatusException {
    send(Method.POST, path, "application/json", body);
  }

  private String phase(String pod) {
    JsonObject found =
        cluster.get(SimulatedKind.PODS, new ObjectName("default", pod)).orElseThrow();
    return Pod.text(Pod.object(found, "status"), "phase");
  }

  @Test
  void podWithQuoteInImage_runs() throws StatusException {
    simulation.runUntil(1_000);
    post(
        PODS,
        """
        {"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"a\\"b"}]}}\
        """);
    simulation.runUntil(20_000);
    assertThat(phase("p")).isEqualTo("Running");
  }

  @Test
  void invalidStatus_doesNotStopSimulation() throws StatusException {
    post(
        PODS,
        "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
    simulation.runUntil(1_000);
    send(
        Method.PATCH,
        PODS + "/p/status",
        "application/merge-patch+json",
        "{\"status\":{\"containerStatuses\":[{\"name\":\"c\"}]}}");
    post(
        PODS,
        "{\"metadata\":{\"name\":\"q\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");
    simulation.runUntil(30_000);
    assertThat(phase("p")).isEqualTo("Running");
    assertThat(phase("q")).isEqualTo("Running");
  }

  @Test
  void hugeReplicaSet_createsPodsInBursts() throws StatusException {
    post(
        SETS,
        """
        {"metadata":{"name":"s"},"spec":{"replicas":2000000000,
         "selector":{"matchLabels":{"a":"b"}},
         "template":{"metadata":{"labels":{"a":"b"}},
          "spec":{"containers":[{"name":"c","image":"i"}]}}}}\
        """);
    simulation.runUntil(150);
    assertThat(cluster.cache(SimulatedKind.PODS).head())
        .isNotNull()
        .satisfies(head -> assertThat(head.state().size()).isBetween(500, 2_000));
  }
}
