package io.watchgate.e2e.unmodified;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.StablePorts;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of programs that are used with Kubernetes, at a gateway and at the apiserver behind it,
 * while objects change, the gateway restarts and the apiserver restarts: both must come to the
 * same.
 */
@WithApiserver
@Tag("thorough")
@Requires(RequiredTool.GO)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ProgramsTest {
  /** Programs wait up to 30 s between two attempts. */
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private static final String PAGE = "docs/how-to/use-unmodified-clients.md";

  /** Types that kube-state-metrics watches. Leases are relayed, the others come from caches. */
  private static final List<String> RESOURCES =
      List.of(
          "configmaps",
          "deployments",
          "endpoints",
          "leases",
          "namespaces",
          "nodes",
          "pods",
          "services");

  private final int port = StablePorts.free();
  private final HttpClient http = HttpClient.newHttpClient();
  private Apiserver apiserver;
  private Target direct;
  private Target proxied;
  private Command gateway;

  @BeforeAll
  void start(@OwnApiserver Apiserver own, @TempDir Path folder) throws Exception {
    apiserver = own;
    direct = Target.of(own);
    proxied = ProxyProcess.target(own, port, folder);
    gateway = ProxyProcess.start(own, port);
    gateway.awaitServing();
  }

  @AfterAll
  void stop() {
    gateway.close();
    http.close();
  }

  /** Kills the gateway, so that clients are cut off, and starts another one. */
  private void restartGateway() {
    gateway.close();
    gateway = ProxyProcess.start(apiserver, port);
    gateway.awaitServing();
  }

  private void restartApiserver() {
    apiserver.kill();
    apiserver.start();
  }

  private static void recordTried(TriedClient client) throws IOException {
    client.record(TriedClient.Circumstance.CHANGES);
    client.record(TriedClient.Circumstance.RESTARTS);
  }

  private String page(String address) {
    try {
      return http.send(
              HttpRequest.newBuilder(URI.create(address)).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void createPod(Cluster cluster, String namespace, String name) {
    cluster.create(
        Resource.PODS,
        Json.parse(
            """
            {"apiVersion":"v1","kind":"Pod",
             "metadata":{"namespace":"%s","name":"%s","labels":{"app":"web"}},
             "spec":{"nodeName":"n1","containers":[
               {"name":"c","image":"i","ports":[{"containerPort":8080}]}]}}
            """
                .formatted(namespace, name)));
  }

  private static void setAddress(Cluster cluster, String namespace, String name, int last) {
    cluster.patchStatus(
        Resource.PODS,
        namespace,
        name,
        """
        {"status":{"phase":"Running","podIP":"10.0.0.%d","podIPs":[{"ip":"10.0.0.%d"}],
          "conditions":[{"type":"Ready","status":"True"}]}}
        """
            .formatted(last, last));
  }

  // ---- kube-state-metrics

  @Test
  void kubeStateMetrics_hasTheSameMetrics() throws Exception {
    LabeledMaps maps = LabeledMaps.in(direct);
    int here = StablePorts.free();
    int there = StablePorts.free();
    try (RunningProgram atGateway = kubeStateMetrics(proxied, here);
        RunningProgram atApiserver = kubeStateMetrics(direct, there)) {
      assertThat(atGateway.isAlive() && atApiserver.isAlive()).isTrue();
      maps.create("first", "web");
      createPod(direct.cluster(), maps.namespace(), "p1");
      awaitSameMetrics(here, there, "pod=\"p1\"");
      AnswerSources.awaitWatches(gateway, RESOURCES.size() - 1, 1);

      restartGateway();
      setAddress(direct.cluster(), maps.namespace(), "p1", 1);
      createPod(direct.cluster(), maps.namespace(), "p2");
      maps.delete("first");
      awaitSameMetrics(here, there, "pod_ip=\"10.0.0.1\"");
      AnswerSources.awaitWatches(gateway, RESOURCES.size() - 1, 1);

      restartApiserver();
      setAddress(direct.cluster(), maps.namespace(), "p1", 2);
      createPod(direct.cluster(), maps.namespace(), "p3");
      awaitSameMetrics(here, there, "pod_ip=\"10.0.0.2\"");
    }
    recordTried(TriedClient.KUBE_STATE_METRICS);
  }

  private static RunningProgram kubeStateMetrics(Target target, int port) throws Exception {
    return GoPrograms.kubeStateMetrics()
        .and("--kubeconfig", target.kubeconfig().toString())
        .and("--host", "127.0.0.1", "--port", Integer.toString(port))
        .and("--telemetry-host", "127.0.0.1")
        .and("--telemetry-port", Integer.toString(StablePorts.free()))
        .and("--resources", String.join(",", RESOURCES))
        .start();
  }

  private void awaitSameMetrics(int here, int there, String with) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              List<String> lines = metrics(there);
              assertThat(lines).anyMatch(line -> line.contains(with));
              assertThat(metrics(here)).isEqualTo(lines);
            });
  }

  /** Leases are renewed all the time. */
  private List<String> metrics(int port) {
    return page("http://127.0.0.1:" + port + "/metrics")
        .lines()
        .filter(line -> line.startsWith("kube_") && !line.startsWith("kube_lease_"))
        .sorted()
        .toList();
  }

  /** The command of the page about unmodified clients, on other ports. */
  @Test
  void kubeStateMetrics_atTheSandbox_hasItsPods() throws Exception {
    Matcher command =
        Pattern.compile("`kube-state-metrics (--apiserver [^`]+)`")
            .matcher(Files.readString(Repository.root().resolve(PAGE)));
    assertThat(command.find()).as("command in %s", PAGE).isTrue();
    try (Command sandbox =
        Command.start(
            "serve",
            "--sandbox",
            "--sandbox-listen",
            "127.0.0.1:0",
            "--listen",
            "127.0.0.1:0",
            "--http-listen",
            "127.0.0.1:0",
            "--kube-listen",
            "127.0.0.1:0")) {
      URI server = URI.create("http://127.0.0.1:" + sandbox.awaitServing().kube());
      int port = StablePorts.free();
      String options =
          command
              .group(1)
              .replace("http://127.0.0.1:6443", server.toString())
              .replace("8081", Integer.toString(port))
              .replace("8082", Integer.toString(StablePorts.free()));
      try (Cluster cluster = Cluster.plaintext(server);
          RunningProgram metrics = GoPrograms.kubeStateMetrics().and(options.split(" ")).start()) {
        await()
            .atMost(LIMIT)
            .untilAsserted(
                () ->
                    assertThat(podsInMetrics(port))
                        .as("%s", metrics.err())
                        .isNotEmpty()
                        .isEqualTo(pods(cluster)));
        AnswerSources.awaitWatches(sandbox, 1, 0);
      }
    }
  }

  private Set<String> podsInMetrics(int port) {
    return Pattern.compile("^kube_pod_info\\{.*uid=\"([^\"]+)\"", Pattern.MULTILINE)
        .matcher(page("http://127.0.0.1:" + port + "/metrics"))
        .results()
        .map(line -> line.group(1))
        .collect(Collectors.toSet());
  }

  private static Set<String> pods(Cluster cluster) {
    Set<String> uids = new HashSet<>();
    cluster
        .list(Resource.PODS, "", Map.of())
        .get("items")
        .forEach(pod -> uids.add(pod.at("/metadata/uid").textValue()));
    return uids;
  }

  // ---- Prometheus

  @Test
  void prometheus_discoversTheSameTargets() throws Exception {
    LabeledMaps maps = LabeledMaps.in(direct);
    createPod(direct.cluster(), maps.namespace(), "p1");
    setAddress(direct.cluster(), maps.namespace(), "p1", 1);
    try (RunningProgram atGateway = prometheus(proxied, maps.namespace());
        RunningProgram atApiserver = prometheus(direct, maps.namespace())) {
      awaitSameTargets(atGateway, atApiserver, "10.0.0.1");
      AnswerSources.awaitWatches(gateway, 1, 0);

      restartGateway();
      createPod(direct.cluster(), maps.namespace(), "p2");
      setAddress(direct.cluster(), maps.namespace(), "p2", 2);
      setAddress(direct.cluster(), maps.namespace(), "p1", 3);
      awaitSameTargets(atGateway, atApiserver, "10.0.0.2", "10.0.0.3");
      AnswerSources.awaitWatches(gateway, 1, 0);

      restartApiserver();
      createPod(direct.cluster(), maps.namespace(), "p3");
      setAddress(direct.cluster(), maps.namespace(), "p3", 4);
      setAddress(direct.cluster(), maps.namespace(), "p1", 5);
      awaitSameTargets(atGateway, atApiserver, "10.0.0.4", "10.0.0.5");
    }
    recordTried(TriedClient.PROMETHEUS);
  }

  private static RunningProgram prometheus(Target target, String namespace) throws Exception {
    return GoPrograms.prometheus()
        .and("--kubeconfig", target.kubeconfig().toString(), "--namespace", namespace)
        .start();
  }

  private static void awaitSameTargets(
      RunningProgram here, RunningProgram there, String... addresses) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              assertThat(targets(there).toString()).contains(addresses);
              assertThat(targets(here)).isEqualTo(targets(there));
            });
  }

  /** Returns the last group of each source. */
  private static Map<String, JsonNode> targets(RunningProgram program) {
    return program.out().stream()
        .map(Json::parse)
        .collect(
            Collectors.toMap(
                group -> group.get("source").textValue(),
                group -> group,
                (earlier, later) -> later,
                TreeMap::new));
  }

  // ---- controller-runtime

  /** A manager that reads at the gateway and writes to the apiserver. */
  @Test
  void controllerRuntime_reconciles() throws Exception {
    LabeledMaps maps = LabeledMaps.in(direct);
    maps.create("first", "web");
    maps.create("other", "api");
    Program manager =
        GoPrograms.controllerRuntime()
            .and("--kubeconfig", direct.kubeconfig().toString())
            .and("--read-kubeconfig", proxied.kubeconfig().toString())
            .and("--namespace", maps.namespace(), "--selector", "app=web");
    try (RunningProgram running = manager.start()) {
      awaitCopies(maps, running, Map.of("first-copy", "0"));
      AnswerSources.awaitWatches(gateway, 1, 0);
      maps.set("first", 1);
      maps.create("second", "web");
      awaitCopies(maps, running, Map.of("first-copy", "1", "second-copy", "0"));
      AnswerSources.awaitWatches(gateway, 1, 0);

      restartGateway();
      maps.set("second", 2);
      maps.delete("first");
      maps.create("third", "web");
      awaitCopies(maps, running, Map.of("first-copy", "1", "second-copy", "2", "third-copy", "0"));
      AnswerSources.awaitWatches(gateway, 1, 0);

      restartApiserver();
      maps.set("third", 3);
      maps.create("fourth", "web");
      awaitCopies(
          maps,
          running,
          Map.of("first-copy", "1", "second-copy", "2", "third-copy", "3", "fourth-copy", "0"));
      assertThat(running.out()).doesNotContain("other");
    }
    recordTried(TriedClient.CONTROLLER_RUNTIME);
  }

  private static void awaitCopies(
      LabeledMaps maps, RunningProgram manager, Map<String, String> copies) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(copies(maps)).as("%s", manager.err()).isEqualTo(copies));
  }

  private static Map<String, String> copies(LabeledMaps maps) {
    Map<String, String> copies = new TreeMap<>();
    maps.cluster()
        .list(Resource.CONFIGMAPS, maps.namespace(), Map.of("labelSelector", "copy-of"))
        .get("items")
        .forEach(
            item ->
                copies.put(
                    item.at("/metadata/name").textValue(), item.at("/data/value").textValue()));
    return copies;
  }
}
