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
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import io.watchgate.e2e.program.GoProgram;
import io.watchgate.e2e.program.RunningProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of a manager of controller-runtime that reads through a gateway: with each kind of read it
 * has the objects that the apiserver lists, while objects change and the gateway restarts.
 */
@WithApiserver
@Requires(RequiredTool.GO)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ManagerReadsTest {
  private static final Path MODULE = Repository.root().resolve("e2e/clients/controller-runtime");
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int WRITES = 60;

  /** Of each kind. They are few, because reads wait for the gateway only for a while. */
  private static final int WRITES_WHILE_AWAY = 10;

  /** By default 10 s; the writes and the start of a gateway may take longer on a busy machine. */
  private static final String PATIENCE = "60s";

  private static final List<String> SIDES = List.of("left", "right");

  private final long seed = Long.getLong("seed", System.nanoTime());
  private final Random random = new Random(seed);
  private Apiserver apiserver;
  private AuditedUsers users;

  @BeforeAll
  void start(@OwnApiserver(audited = true, flags = OwnApiserver.UNCOMPACTED) Apiserver own) {
    System.err.println("seed " + seed);
    apiserver = own;
    users = new AuditedUsers(own, 4);
    Widgets.install(own.cluster());
  }

  @ParameterizedTest
  @EnumSource
  void manager_hasTheObjectsOfTheApiserver(Way way) throws Exception {
    assertReads("go.mod", way);
  }

  /** With the oldest version of controller-runtime, which begins with a list. */
  @ParameterizedTest
  @EnumSource
  @Tag("thorough")
  void oldestManager_hasTheObjectsOfTheApiserver(Way way) throws Exception {
    assertReads("oldest.mod", way);
  }

  /** Way of a manager to the gateway, as the program names it. */
  enum Way {
    /** The cache reads there; {@code GetAPIReader} reads from the apiserver. */
    CTRLCACHE("list configmaps "),
    /** All clients list and watch there. */
    TRANSPORT("");

    private final String readsAtApiserver;

    Way(String readsAtApiserver) {
      this.readsAtApiserver = readsAtApiserver;
    }
  }

  private void assertReads(String versions, Way way) throws Exception {
    AuditedUser user = users.next();
    WrittenObjects objects =
        new WrittenObjects(new Maps(apiserver.cluster()), new Maps(apiserver.cluster()));
    objects.write();
    try (RestartableGateway gateway =
            new RestartableGateway(apiserver, GatewayUnderTest::kubePort);
        RunningProgram manager =
            GoProgram.build(MODULE, versions, "./reads", "reads-" + versions)
                .and("--kubeconfig", user.kubeconfig().toString())
                .and("--namespace", objects.one.namespace(), "--other", objects.other.namespace())
                .and("--gateway", "http://" + gateway.address(), "--patience", PATIENCE)
                .and(way.name().toLowerCase(Locale.ROOT))
                .start()) {
      objects.awaitAt(manager);
      objects.write();
      objects.awaitAt(manager);

      gateway.stop();
      objects.write(WRITES_WHILE_AWAY);
      gateway.startAgain();
      objects.write();
      objects.awaitAt(manager);

      String namespace = objects.one.namespace();
      JsonNode lease =
          apiserver
              .cluster()
              .get(
                  new Resource("coordination.k8s.io", "v1", "leases", "Lease"), namespace, "reads");
      assertThat(lease.at("/spec/holderIdentity").asText()).isNotEmpty();
      assertThat(user.verbs("leases", namespace)).contains("create", "update");
      assertThat(user.verbs("events", namespace)).containsExactly("create");
      assertThat(String.join(", ", user.reads())).isEqualTo(way.readsAtApiserver);
    }
  }

  /** Objects of one run, which are written at random. */
  private final class WrittenObjects {
    private final Maps one;
    private final Maps other;
    private final Cluster cluster;

    WrittenObjects(Maps one, Maps other) {
      this.one = one;
      this.other = other;
      this.cluster = one.cluster();
    }

    void write() {
      write(WRITES);
    }

    void write(int number) {
      one.writeRandomly(random, number);
      other.writeRandomly(random, number);
      for (int i = 0; i < number; i++) {
        String name = "object-" + random.nextInt(12);
        String side = SIDES.get(random.nextInt(2));
        writePod(name, side);
        writeWidget(name, side);
      }
    }

    private void writePod(String name, String side) {
      if (!listed(Resource.PODS, one.namespace(), "", "").containsKey(key(name))) {
        cluster.create(
            Resource.PODS,
            Json.parse(
                """
                {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"%s","name":"%s",
                 "labels":{"side":"%s"}},
                 "spec":{"nodeName":"node-%d","containers":[{"name":"c","image":"example/c:1"}]}}
                """
                    .formatted(one.namespace(), name, side, random.nextInt(3))));
      } else if (random.nextInt(4) == 0) {
        cluster.delete(Resource.PODS, one.namespace(), name);
      } else {
        cluster.patch(
            Resource.PODS,
            one.namespace(),
            name,
            "{\"metadata\":{\"labels\":{\"side\":\"" + side + "\"}}}");
      }
    }

    private void writeWidget(String name, String color) {
      String spec = "{\"color\":\"" + color + "\",\"size\":" + random.nextInt() + "}";
      if (!listed(Widgets.V1, one.namespace(), "", "").containsKey(key(name))) {
        cluster.create(Widgets.V1, Widgets.widget(one.namespace(), name, spec));
      } else if (random.nextInt(4) == 0) {
        cluster.delete(Widgets.V1, one.namespace(), name);
      } else {
        cluster.patch(Widgets.V1, one.namespace(), name, "{\"spec\":" + spec + "}");
      }
    }

    private String key(String name) {
      return one.namespace() + "/" + name;
    }

    /**
     * Waits until each read has what the apiserver lists. Before, writes until each selects some
     * object: an empty map would show nothing.
     */
    void awaitAt(RunningProgram manager) {
      while (expected().values().stream().anyMatch(Map::isEmpty)) {
        write(1);
      }
      Map<String, Map<String, String>> expected = expected();
      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofMillis(200))
          .untilAsserted(
              () -> {
                List<String> lines = manager.out();
                assertThat(lines).as(() -> "" + manager.err()).isNotEmpty();
                assertThat(versions(Json.parse(lines.getLast())))
                    .as(() -> "seed " + seed + ": " + manager.err())
                    .isEqualTo(expected);
              });
    }

    private static Map<String, Map<String, String>> versions(JsonNode line) {
      Map<String, Map<String, String>> versions = new TreeMap<>();
      for (Map.Entry<String, JsonNode> read : line.properties()) {
        Map<String, String> objects = new TreeMap<>();
        read.getValue()
            .properties()
            .forEach(object -> objects.put(object.getKey(), object.getValue().textValue()));
        versions.put(read.getKey(), objects);
      }
      return versions;
    }

    /** Returns the versions of the objects by the name of the read. */
    private Map<String, Map<String, String>> expected() {
      String outside = "metadata.name!=map-0";
      Map<String, String> maps = listed(Resource.CONFIGMAPS, one.namespace(), "side=left", "");
      maps.putAll(listed(Resource.CONFIGMAPS, other.namespace(), "", outside));
      Map<String, String> pods = listed(Resource.PODS, "", "side=left", "spec.nodeName=node-1");
      Map<String, String> widgets = listed(Widgets.V1, "", "", "");
      Map<String, Map<String, String>> expected = new TreeMap<>();
      for (String read :
          List.of(
              "typed",
              "unstructured",
              "metadata",
              "reconciled",
              "informer",
              "informer of unstructured")) {
        expected.put(read, maps);
      }
      expected.put(
          "indexed", listed(Resource.CONFIGMAPS, other.namespace(), "side=right", outside));
      expected.put("pods", pods);
      expected.put("informer for kind", pods);
      expected.put("custom", widgets);
      expected.put("informer of custom", widgets);
      return expected;
    }

    private Map<String, String> listed(
        Resource type, String namespace, String labels, String fields) {
      Map<String, String> versions = new TreeMap<>();
      for (JsonNode item :
          cluster
              .list(type, namespace, Map.of("labelSelector", labels, "fieldSelector", fields))
              .get("items")) {
        versions.put(
            item.at("/metadata/namespace").asText() + "/" + item.at("/metadata/name").asText(),
            item.at("/metadata/resourceVersion").asText());
      }
      return versions;
    }
  }
}
