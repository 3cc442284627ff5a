package io.watchgate.e2e.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.proxy.FaultProxy;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a client at a gateway in front of a real apiserver. */
@WithApiserver
interface RealGatewayCases {
  AtomicInteger NAMESPACES = new AtomicInteger();

  Program client();

  @Test
  default void client_receivesSnapshotThenChangesAndResumes(
      Apiserver apiserver, @TempDir Path folder) throws Exception {
    Maps maps = new Maps(apiserver.cluster());
    maps.create("kept");
    maps.create("changed");
    String[] arguments = {
      "-n", maps.namespace(), "--position-file", folder.resolve("position").toString()
    };
    try (GatewayUnderTest gateway = gateway(apiserver)) {
      try (WatchProgram first = WatchProgram.start(client(), gateway.port(), arguments)) {
        first.awaitStory(
            story ->
                assertThat(story)
                    .containsExactlyInAnyOrder(
                        maps.line("ADDED", "kept"), maps.line("ADDED", "changed"), "SYNCED")
                    .endsWith("SYNCED"));
        maps.change("changed", "one");
        maps.delete("kept");
        first.awaitStory(
            story ->
                assertThat(story)
                    .endsWith(
                        "SYNCED", maps.line("MODIFIED", "changed"), maps.line("DELETED", "kept")));
        assertThat(first.program().stop()).isZero();
        assertThat(first.program().err()).isEmpty();
      }
      maps.change("changed", "two");
      try (WatchProgram second = WatchProgram.start(client(), gateway.port(), arguments)) {
        second.awaitStory(
            story ->
                assertThat(story).containsExactly("RESUMED", maps.line("MODIFIED", "changed")));
        assertThat(second.last("MODIFIED").at("/data/value").textValue()).isEqualTo("two");
        assertThat(second.program().stop()).isZero();
      }
    }
  }

  @Test
  default void restartedGateway_clientEqualsApiserver(Apiserver apiserver) throws Exception {
    long seed = System.nanoTime();
    System.err.println("seed " + seed);
    Random random = new Random(seed);
    Maps maps = new Maps(apiserver.cluster());
    maps.writeRandomly(random, 30);
    GatewayUnderTest gateway = gateway(apiserver);
    // The proxy keeps its port, so that the next gateway may use another port than the previous
    // one.
    try (FaultProxy front = new FaultProxy(uri(gateway));
        WatchProgram watch =
            WatchProgram.start(client(), front.port(), "-n", maps.namespace(), "-l", "side=left")) {
      maps.writeRandomly(random, 60);
      watch.awaitStory(story -> assertThat(watch.state()).isEqualTo(maps.listed("side=left")));
      gateway.close();
      front.pass(FaultProxy.Manner.CUT);
      maps.writeRandomly(random, 30);
      gateway = gateway(apiserver);
      front.lead(uri(gateway));
      front.pass(FaultProxy.Manner.PASSING);
      watch.awaitStory(story -> assertThat(watch.state()).isEqualTo(maps.listed("side=left")));
      maps.writeRandomly(random, 30);
      watch.awaitStory(story -> assertThat(watch.state()).isEqualTo(maps.listed("side=left")));
      assertThat(watch.story()).as("one snapshot").containsOnlyOnce("SYNCED");
      assertThat(watch.program().stop()).isZero();
    } finally {
      gateway.close();
    }
  }

  @Test
  default void refusal_hasReason(Apiserver apiserver) throws Exception {
    try (GatewayUnderTest gateway = gateway(apiserver);
        WatchProgram refused = WatchProgram.start(client(), gateway.port(), "-l", "app in (web")) {
      assertThat(refused.program().end()).isEqualTo(1);
      assertThat(refused.story()).containsExactly("ERROR INVALID_ARGUMENT");
      JsonNode error = refused.last("ERROR");
      assertThat(error.get("reason").textValue()).isEqualTo("SELECTOR_INVALID");
      assertThat(error.get("action").textValue()).isEqualTo("STOP");
      assertThat(refused.program().err())
          .singleElement()
          .asString()
          .contains(error.get("message").textValue());
    }
  }

  private static GatewayUnderTest gateway(Apiserver apiserver) {
    return GatewayUnderTest.start(apiserver.kubeconfig(), GatewaySetup.AS_SERVED);
  }

  private static URI uri(GatewayUnderTest gateway) {
    return URI.create("http://127.0.0.1:" + gateway.port());
  }

  /** Config maps of one namespace. */
  record Maps(Cluster cluster, String namespace) {
    Maps(Cluster cluster) {
      this(cluster, "clients-" + NAMESPACES.incrementAndGet());
      cluster.createNamespace(namespace);
    }

    String line(String what, String name) {
      return what + " " + namespace + "/" + name;
    }

    void create(String name) {
      cluster.create(
          Resource.CONFIGMAPS,
          Json.parse(
              """
              {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s"}}
              """
                  .formatted(namespace, name)));
    }

    void change(String name, String value) {
      cluster.patch(
          Resource.CONFIGMAPS, namespace, name, "{\"data\":{\"value\":\"" + value + "\"}}");
    }

    void delete(String name) {
      cluster.delete(Resource.CONFIGMAPS, namespace, name);
    }

    /**
     * Creates, changes and deletes config maps; changes switch between the labels left and right.
     */
    void writeRandomly(Random random, int changes) {
      for (int i = 0; i < changes; i++) {
        Map<String, JsonNode> all = listed("");
        String name = "map-" + random.nextInt(12);
        if (!all.containsKey(namespace + "/" + name)) {
          create(name);
        } else if (random.nextInt(4) == 0) {
          delete(name);
          continue;
        }
        String side = random.nextInt(3) == 0 ? "right" : "left";
        cluster.patch(
            Resource.CONFIGMAPS,
            namespace,
            name,
            """
            {"metadata":{"labels":{"side":"%s"}},"data":{"value":"%d \\u001b \u009b \u00fc"}}
            """
                .formatted(side, random.nextInt()));
      }
    }

    /** Returns the config maps at the apiserver, by namespace and name. */
    Map<String, JsonNode> listed(String labelSelector) {
      Map<String, JsonNode> objects = new TreeMap<>();
      JsonNode list =
          cluster.list(Resource.CONFIGMAPS, namespace, Map.of("labelSelector", labelSelector));
      for (JsonNode item : list.get("items")) {
        ObjectNode object = item.deepCopy();
        object.put("kind", "ConfigMap").put("apiVersion", "v1");
        objects.put(namespace + "/" + item.at("/metadata/name").textValue(), object);
      }
      return objects;
    }
  }
}
