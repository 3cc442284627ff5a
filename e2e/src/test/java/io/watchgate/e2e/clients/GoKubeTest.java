package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.clients.AuditedUsers.AuditedUser;
import io.watchgate.e2e.clients.KubeController.ClientGo;
import io.watchgate.e2e.faults.Command;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.program.GoProgram;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the Go module for client-go: a controller reads through a gateway, which restarts and
 * loses its history, while objects change. The apiserver's audit log has what the controller asked
 * for.
 */
@WithApiserver
@Requires(RequiredTool.GO)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GoKubeTest {
  private static final Path MODULE = GoSdk.MODULE.resolve("kube");
  private static final Path CONTROLLER_RUNTIME =
      Repository.root().resolve("e2e/clients/controller-runtime");
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** By default 10 s; the restart of a gateway may take longer on a busy machine. */
  private static final String PATIENCE = "60s";

  private static final int WRITES = 500;
  private static final int RUNS = 14;

  private Apiserver apiserver;
  private AuditedUsers users;

  @BeforeAll
  void start(@OwnApiserver(audited = true, flags = OwnApiserver.UNCOMPACTED) Apiserver own) {
    apiserver = own;
    users = new AuditedUsers(own, RUNS);
  }

  @Test
  void module_passesItsTestsAndChecks() throws Exception {
    assertThat(go("test", "-count=1", "-v", "./...")).contains("--- PASS: TestTransport_route");
    assertThat(go("test", "-count=1", "-v", "-modfile=newest.mod", "./..."))
        .contains("--- PASS: TestInformer_listsAgainOnlyAfterAnExpiredPosition");
    Path cache = MODULE.resolve("ctrlcache");
    assertThat(Program.ofBuild("go", "test", "-count=1", "-v", ".").in(cache).run())
        .contains("--- PASS: TestNew_informersReadAtGateway");
    go("vet", "./...");
    assertThat(Program.of("gofmt", "-l", ".").in(MODULE).run()).isEmpty();
  }

  /** The program has nothing but the file of a release, in an empty folder. */
  @Test
  void packedModules_areBuiltIntoAProgram(@TempDir Path folder) throws Exception {
    String source = Files.readString(CONTROLLER_RUNTIME.resolve("packed/main.go"));
    Program program =
        GoSdk.program(source, MODULE.resolve("ctrlcache"), GoSdk.proxy(folder), folder);
    try (Command gateway =
        Command.start(
            "serve",
            "--sandbox",
            "--listen",
            "127.0.0.1:0",
            "--http-listen",
            "127.0.0.1:0",
            "--kube-listen",
            "127.0.0.1:0")) {
      Command.Ports ports = gateway.awaitServing();
      assertThat(program.and("127.0.0.1:" + ports.grpc(), "http://127.0.0.1:" + ports.kube()).run())
          .isEqualToIgnoringNewLines("core true, kube true, ctrlcache true");
    }
  }

  private static String go(String... arguments) throws Exception {
    return Program.of("go").and(arguments).in(MODULE).run();
  }

  @Test
  void controllerWithTransport_readsNothingAtTheApiserver() throws Exception {
    runControllerTransport(ClientGo.NEWEST, "typed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dynamic", "metadata"})
  void controllerWithTransportAndOtherInformer_readsNothingAtTheApiserver(String informer)
      throws Exception {
    runControllerTransport(ClientGo.NEWEST, informer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"typed", "dynamic", "metadata"})
  @Tag("thorough")
  void oldestControllerWithTransport_readsNothingAtTheApiserver(String informer) throws Exception {
    runControllerTransport(ClientGo.OLDEST, informer);
  }

  private void runControllerTransport(ClientGo version, String informer) throws Exception {
    Maps maps = MapsWriter.thousandMaps(apiserver);
    AuditedUser user = users.next();
    try (RestartableGateway gateway =
            new RestartableGateway(apiserver, GatewayUnderTest::kubePort);
        KubeController controller =
            KubeController.start(
                version,
                user.kubeconfig(),
                maps,
                "--gateway",
                "http://" + gateway.address(),
                "--patience",
                PATIENCE,
                "--informer",
                informer)) {
      awaitEqual(controller, maps);
      writeDuringARestart(gateway, maps);
      awaitEqual(controller, maps);

      assertThat(user.reads()).isEmpty();
      assertThat(user.verbs("configmaps", maps.namespace() + "-copies"))
          .contains("create", "update");
      assertThat(controller.count("apiserver")).as("%s", controller).isZero();

      loseHistory(gateway, maps);
      awaitEqual(controller, maps);
    }
  }

  @Test
  void controllerWithListerWatcher_listsOnceMoreAfterExpiry() throws Exception {
    runControllerListerWatcher(ClientGo.NEWEST, "typed");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dynamic", "metadata"})
  @Tag("thorough")
  void controllerWithListerWatcherOfOtherForm_listsOnceMoreAfterExpiry(String informer)
      throws Exception {
    runControllerListerWatcher(ClientGo.NEWEST, informer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"typed", "dynamic", "metadata"})
  @Tag("thorough")
  void oldestControllerWithListerWatcher_listsOnceMoreAfterExpiry(String informer)
      throws Exception {
    runControllerListerWatcher(ClientGo.OLDEST, informer);
  }

  private void runControllerListerWatcher(ClientGo version, String informer) throws Exception {
    Maps maps = MapsWriter.thousandMaps(apiserver);
    AuditedUser user = users.next();
    try (RestartableGateway gateway = new RestartableGateway(apiserver, GatewayUnderTest::port);
        KubeController controller =
            KubeController.start(
                version,
                user.kubeconfig(),
                maps,
                "--grpc",
                gateway.address(),
                "--informer",
                informer)) {
      awaitEqual(controller, maps);
      writeDuringARestart(gateway, maps);
      awaitEqual(controller, maps);
      assertThat(controller.count("list"))
          .as("lists over a restart of %s", controller)
          .isEqualTo(1);

      loseHistory(gateway, maps);
      awaitEqual(controller, maps);
      assertThat(controller.count("list")).as("lists after expiry of %s", controller).isEqualTo(2);
      assertThat(user.reads()).isEmpty();
      assertThat(user.verbs("configmaps", maps.namespace() + "-copies"))
          .contains("create", "update");
    }
  }

  /** The manager of controller-runtime has copies in the same namespace. */
  @Test
  void managerWithCtrlcache_readsNothingAtTheApiserver() throws Exception {
    Maps maps = MapsWriter.thousandMaps(apiserver);
    AuditedUser user = users.next();
    try (RestartableGateway gateway =
            new RestartableGateway(apiserver, GatewayUnderTest::kubePort);
        RunningProgram manager =
            GoProgram.build(CONTROLLER_RUNTIME, ".")
                .and("--kubeconfig", user.kubeconfig().toString(), "--namespace", maps.namespace())
                .and("--selector", "app=web", "--gateway", "http://" + gateway.address())
                .and("--patience", PATIENCE)
                .start()) {
      awaitCopies(manager, maps);
      writeDuringARestart(gateway, maps);
      awaitCopies(manager, maps);

      assertThat(user.reads()).isEmpty();
      assertThat(user.verbs("configmaps", maps.namespace()))
          .contains("create", "update")
          .doesNotContain("get");
      loseHistory(gateway, maps);
      awaitCopies(manager, maps);
    }
  }

  private static void awaitCopies(RunningProgram manager, Maps maps) {
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(
            () -> {
              Map<String, String> originals = new TreeMap<>();
              Map<String, String> copies = new TreeMap<>();
              for (JsonNode map : listed(maps.cluster(), maps.namespace()).values()) {
                String value = map.at("/data/value").asText();
                JsonNode copyOf = map.at("/metadata/labels/copy-of");
                if (!copyOf.isMissingNode()) {
                  copies.put(copyOf.textValue(), value);
                } else if (map.at("/metadata/labels/app").asText().equals("web")) {
                  originals.put(map.at("/metadata/name").textValue(), value);
                }
              }
              assertThat(copies).as(() -> "" + manager.err()).isEqualTo(originals);
            });
  }

  @Test
  void absentGateway_controllerReadsAtTheApiserver() throws Exception {
    Maps maps = MapsWriter.thousandMaps(apiserver);
    AuditedUser user = users.next();
    try (RestartableGateway gateway =
        new RestartableGateway(apiserver, GatewayUnderTest::kubePort)) {
      gateway.stop();
      try (KubeController controller =
          KubeController.start(
              ClientGo.NEWEST,
              user.kubeconfig(),
              maps,
              "--gateway",
              "http://" + gateway.address(),
              "--patience",
              "0s")) {
        awaitEqual(controller, maps);
        maps.change("map-0", "after");
        awaitEqual(controller, maps);
        assertThat(user.reads()).contains("watch configmaps " + maps.namespace());
      }
      gateway.startAgain();
    }
  }

  /** Writes for ten seconds; a third of the writes are made while no gateway runs. */
  private static void writeDuringARestart(RestartableGateway gateway, Maps maps) throws Exception {
    try (MapsWriter writer = new MapsWriter(maps)) {
      writer.awaitCount(WRITES / 3);
      gateway.stop();
      writer.awaitCount(WRITES * 2 / 3);
      gateway.startAgain();
      writer.awaitCount(WRITES);
    }
  }

  /** Replaces gateway and apiserver by ones that cannot learn what happened in between. */
  private void loseHistory(RestartableGateway gateway, Maps maps) {
    gateway.stop();
    maps.change("map-0", "before the history");
    maps.delete("map-1");
    apiserver.compact();
    apiserver.kill();
    apiserver.start();
    gateway.startAgain();
    maps.change("map-20", "after the history");
  }

  private static void awaitEqual(KubeController controller, Maps maps) {
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(
            () -> {
              Map<String, JsonNode> listed = listed(maps.cluster(), maps.namespace());
              assertThat(controller.state())
                  .as("%s", controller)
                  .isEqualTo(values(listed, "/metadata/resourceVersion"));
              listed
                  .values()
                  .removeIf(map -> !map.at("/metadata/labels/app").asText().equals("web"));
              assertThat(
                      values(listed(maps.cluster(), maps.namespace() + "-copies"), "/data/value"))
                  .as("copies of %s", controller)
                  .isEqualTo(values(listed, "/data/value"));
            });
  }

  private static Map<String, JsonNode> listed(Cluster cluster, String namespace) {
    Map<String, JsonNode> objects = new TreeMap<>();
    cluster
        .list(Resource.CONFIGMAPS, namespace, Map.of())
        .get("items")
        .forEach(item -> objects.put(item.at("/metadata/name").textValue(), item));
    return objects;
  }

  private static Map<String, String> values(Map<String, JsonNode> objects, String pointer) {
    return objects.entrySet().stream()
        .collect(
            Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().at(pointer).asText()));
  }
}
