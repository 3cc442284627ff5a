package io.watchgate.sandbox.churn;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.watchgate.cache.KeyRange;
import io.watchgate.cache.StateCursor;
import io.watchgate.cache.TimeSource;
import io.watchgate.http.StatusException;
import io.watchgate.http.WriteBackend;
import io.watchgate.http.WriteRequest;
import io.watchgate.json.KubeObject;
import io.watchgate.sandbox.Sandbox;
import io.watchgate.sandbox.SandboxSettings;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SimulationTest {
  private static final long WARMUP = 20_000;
  private static final long MINUTE = 60_000;
  private static final TimeSource TIME =
      new TimeSource(() -> Instant.parse("2026-01-01T00:00:00Z"), () -> 0);

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
  private final List<World> worlds = new ArrayList<>();

  /** A sandbox with its simulation, and the requests of the simulation. */
  private record World(
      Sandbox sandbox, ClusterClient client, Simulation simulation, List<String> requests) {

    List<JsonObject> all(SimulatedKind kind) {
      List<JsonObject> objects = new ArrayList<>();
      StateCursor cursor =
          Objects.requireNonNull(client.cache(kind).head()).state().cursor(KeyRange.ALL);
      for (KubeObject view = cursor.peek(); view != null; view = cursor.peek()) {
        objects.add(ClusterClient.parse(view));
        cursor.advance();
      }
      return objects;
    }

    List<Pod> pods() {
      return all(SimulatedKind.PODS).stream().map(pod -> Pod.of(ObjectName.of(pod), pod)).toList();
    }

    JsonObject get(SimulatedKind kind, ObjectName key) {
      return client.get(kind, key).orElseThrow();
    }
  }

  private World world(int nodes, long seed) {
    return world(new ChurnSettings(nodes, seed));
  }

  private World world(ChurnSettings churn) {
    SandboxSettings settings = SandboxSettings.forHeap(1L << 30, churn.seed());
    Sandbox sandbox = Sandbox.create(settings, TIME, timer);
    List<String> asked = new ArrayList<>();
    WriteBackend recorded = request -> answer(sandbox, request, asked);
    World world =
        new World(
            sandbox,
            new ClusterClient(sandbox.catalog(), sandbox.writes()),
            new Simulation(sandbox.catalog(), recorded, churn, TIME),
            asked);
    worlds.add(world);
    return world;
  }

  private static WriteBackend.Answer answer(
      Sandbox sandbox, WriteRequest request, List<String> asked) throws StatusException {
    asked.add(
        request.method()
            + " "
            + request.path()
            + " "
            + new String(request.body(), StandardCharsets.UTF_8));
    return sandbox.writes().answer(request);
  }

  @AfterEach
  void close() {
    for (World world : worlds) {
      world.simulation.close();
      world.client.close();
      world.sandbox.close();
    }
    timer.shutdownNow();
  }

  @Test
  void clusterRunsAfterWarmup() {
    World world = world(3, 1);

    world.simulation.runUntil(WARMUP);

    assertThat(world.all(SimulatedKind.NODES)).hasSize(3);
    assertThat(world.all(SimulatedKind.LEASES)).hasSize(3);
    assertThat(world.pods()).hasSizeBetween(15, 24);
    assertThat(world.pods().stream().filter(Pod::isReady)).hasSizeGreaterThan(12);
    assertThat(world.all(SimulatedKind.ENDPOINT_SLICES))
        .hasSameSizeAs(world.all(SimulatedKind.SERVICES));
  }

  @Tag("slow")
  @Test
  void runningPod_hasItsAddressInPodIPs() {
    World world = world(3, 1);

    world.simulation.runUntil(WARMUP);

    assertThat(world.all(SimulatedKind.PODS))
        .map(pod -> pod.getAsJsonObject("status"))
        .filteredOn(status -> status != null && status.has("podIP"))
        .hasSizeGreaterThan(12)
        .allSatisfy(
            status ->
                assertThat(status.get("podIPs"))
                    .hasToString("[{\"ip\":" + status.get("podIP") + "}]"));
  }

  @Test
  void theSameSeedRepeatsTheSameRequests() {
    World first = world(2, 7);
    World second = world(2, 7);
    World other = world(2, 8);

    first.simulation.runUntil(5 * MINUTE);
    second.simulation.runUntil(MINUTE);
    second.simulation.runUntil(5 * MINUTE); // the number of calls does not matter
    other.simulation.runUntil(5 * MINUTE);

    assertThat(second.requests).hasSizeGreaterThan(500).isEqualTo(first.requests);
    assertThat(other.requests).isNotEqualTo(first.requests);
  }

  @Tag("slow")
  @Test
  void podCount_matchesDeployments() {
    World world = world(3, 3);

    for (int minute = 1; minute <= 10; minute++) {
      world.simulation.runUntil(minute * MINUTE);
      int wanted =
          world.all(SimulatedKind.DEPLOYMENTS).stream()
              .mapToInt(it -> it.getAsJsonObject("spec").get("replicas").getAsInt())
              .sum();
      // For a few seconds, a deployment that rolls out has one pod more, and a deployment with a
      // deleted pod has one less.
      assertThat(world.pods().stream().filter(pod -> pod.stage() != Pod.Stage.DELETING).count())
          .as("after %d minutes", minute)
          .isBetween(wanted - 3L, wanted + 3L);
    }
  }

  @Test
  void livelyPace_podsChangeInAlmostEverySecond() {
    World world = world(new ChurnSettings(3, 1, ChurnSettings.Pace.LIVELY));
    int secondsWithChange = 0;

    for (int second = 1; second <= 60; second++) {
      int before = podWrites(world);
      world.simulation.runUntil(second * 1_000L);
      secondsWithChange += podWrites(world) > before ? 1 : 0;
    }

    assertThat(secondsWithChange).isGreaterThanOrEqualTo(55);
    assertThat(world.pods()).hasSizeBetween(10, 30);
  }

  private static int podWrites(World world) {
    return (int) world.requests.stream().filter(request -> request.contains("pods")).count();
  }

  @Test
  void deletedPod_isReplaced() {
    World world = world(1, 1);
    world.simulation.runUntil(WARMUP);
    Pod victim = world.pods().stream().filter(Pod::isReady).findFirst().orElseThrow();

    world.client.delete(SimulatedKind.PODS, victim.key());
    world.simulation.runUntil(WARMUP + 10_000);

    assertThat(world.pods()).extracting(Pod::uid).doesNotContain(victim.uid());
    assertThat(world.requests)
        .anyMatch(it -> it.startsWith("POST") && it.contains(victim.replicaSet() + "-"));
  }

  @Tag("slow")
  @Test
  void foreignDeployment_runsAndStaysUnchanged() {
    World world = world(1, 1);
    world.simulation.runUntil(WARMUP);
    ObjectName own = new ObjectName("default", "hello");

    world.client.create(
        SimulatedKind.DEPLOYMENTS,
        "default",
        ClusterClient.parse(
            """
            {"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"hello"},
             "spec":{"replicas":2,"selector":{"matchLabels":{"mine":"yes"}},
               "template":{"metadata":{"labels":{"mine":"yes"}},
                 "spec":{"containers":[{"name":"main","image":"example/hello"}]}}}}\
            """));
    world.simulation.runUntil(WARMUP + 10_000);

    JsonObject status = world.get(SimulatedKind.DEPLOYMENTS, own).getAsJsonObject("status");
    assertThat(status.get("readyReplicas").getAsInt()).isEqualTo(2);
    world.simulation.runUntil(WARMUP + 10 * MINUTE);
    JsonObject metadata = world.get(SimulatedKind.DEPLOYMENTS, own).getAsJsonObject("metadata");
    assertThat(metadata.get("generation").getAsInt()).isEqualTo(1);
  }

  @Test
  void cordonedNode_getsNoPods() {
    World world = world(2, 1);
    world.simulation.runUntil(WARMUP);
    world.client.merge(
        SimulatedKind.NODES,
        new ObjectName("", "node-1"),
        ClusterClient.parse("{\"spec\":{\"unschedulable\":true}}"));
    world.simulation.runUntil(WARMUP + 1);
    int before = world.requests.size();

    world.pods().forEach(pod -> world.client.delete(SimulatedKind.PODS, pod.key()));
    world.simulation.runUntil(WARMUP + 2_000);

    assertThat(world.requests.subList(before, world.requests.size()))
        .anyMatch(it -> it.contains("\"name\":\"node-2\"") && it.contains("Binding"))
        .noneMatch(it -> it.contains("\"name\":\"node-1\"") && it.contains("Binding"));
  }
}
