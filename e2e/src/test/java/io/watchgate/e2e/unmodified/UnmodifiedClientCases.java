package io.watchgate.e2e.unmodified;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.program.Program;
import io.watchgate.e2e.program.RunningProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a Kubernetes server with unmodified programs. */
interface UnmodifiedClientCases {
  Duration LIMIT = Duration.ofMinutes(3);

  /** Notifications of the changes that each informer sees. */
  List<String> CHANGES =
      List.of(
          "update first", "add second", "add other", "delete first", "delete second", "add second");

  Target target();

  /** Requests of a client, and what it must see. */
  interface Story {
    void run() throws Exception;
  }

  /**
   * Runs a story whose lists and watches a cache can answer. It may be run again, and so creates
   * what it changes.
   *
   * @param verb verb that the story has, list or watch
   */
  default void runCacheable(String verb, Story story) throws Exception {
    story.run();
  }

  /** Records that a client had the state of the server. */
  default void recordTried(TriedClient client, TriedClient.Circumstance circumstance)
      throws IOException {}

  @ParameterizedTest
  @EnumSource
  default void informer_equalsServer(Informer.Kind kind) throws Exception {
    equalsServer(kind.client(), kind::start);
  }

  @ParameterizedTest
  @Tag("thorough")
  @Requires(RequiredTool.GO)
  @MethodSource("io.watchgate.e2e.unmodified.GoInformer#informers")
  @MethodSource("io.watchgate.e2e.unmodified.GoInformer#retryWatchers")
  default void goInformer_equalsServer(GoInformer informer) throws Exception {
    equalsServer(informer.client(), informer);
  }

  @Test
  @Requires(RequiredTool.PYTHON)
  default void pythonWatch_equalsServer() throws Exception {
    equalsServer(TriedClient.OFFICIAL_PYTHON, ProgramInformer::ofPython);
  }

  @Test
  @Tag("thorough")
  @Requires(RequiredTool.PYTHON)
  default void asyncioPythonWatch_equalsServer() throws Exception {
    equalsServer(TriedClient.ASYNCIO_PYTHON, ProgramInformer::ofAsyncioPython);
  }

  @Test
  @Tag("thorough")
  @Requires(RequiredTool.PYTHON)
  default void lightkubeWatch_equalsServer() throws Exception {
    equalsServer(TriedClient.LIGHTKUBE, ProgramInformer::ofLightkube);
  }

  @Test
  @Tag("thorough")
  @Requires(RequiredTool.PYTHON)
  default void kr8sWatch_equalsServer() throws Exception {
    equalsServer(TriedClient.KR8S, ProgramInformer::ofKr8s);
  }

  @ParameterizedTest
  @Tag("thorough")
  @Requires(RequiredTool.NODE)
  @ValueSource(ints = {1, 2})
  default void nodeInformer_equalsServer(int version) throws Exception {
    equalsServer(
        version == 1 ? TriedClient.JAVASCRIPT_1 : TriedClient.JAVASCRIPT_2,
        (target, namespace) -> ProgramInformer.ofNode(version, target, namespace));
  }

  /**
   * The informer of the JavaScript client ends a watch on which nothing came for 30 s, here for a
   * moment, and watches again from the version that it has. It must have the same notifications as
   * one whose watch stays open.
   */
  @Test
  @Requires(RequiredTool.NODE)
  default void nodeInformerThatReconnects_hasTheSameNotifications() throws Exception {
    runCacheable(
        "watch",
        () -> {
          LabeledMaps maps = LabeledMaps.in(target());
          try (ProgramInformer reconnecting =
                  ProgramInformer.ofNode(2, target(), maps.namespace(), "--silence", "50");
              Informer open = ProgramInformer.ofClientGo(true, target(), maps.namespace())) {
            awaitStory(open, story -> assertThat(story).containsExactly("synced"));
            awaitStory(reconnecting, story -> assertThat(story).containsExactly("synced"));
            try (MapWriter _ = MapWriter.start(maps)) {
              await().atMost(LIMIT).until(() -> reconnecting.printed("watch") >= 30);
            }
            maps.create("last", "web");
            awaitStory(open, story -> assertThat(story).endsWith("add last"));
            awaitStory(reconnecting, story -> assertThat(story).endsWith("add last"));
            assertThat(reconnecting.versions()).isEqualTo(open.versions());
            assertThat(reconnecting.state()).isEqualTo(maps.listed());
            assertThat(reconnecting.printed("list")).isEqualTo(1);
          }
        });
    recordTried(TriedClient.JAVASCRIPT_2, TriedClient.Circumstance.RECONNECTS);
  }

  @ParameterizedTest
  @Tag("thorough")
  @Requires(RequiredTool.CARGO)
  @ValueSource(strings = {"list", "streaming-list"})
  default void kubeRsWatcher_equalsServer(String strategy) throws Exception {
    equalsServer(
        TriedClient.KUBE_RS,
        (target, namespace) -> ProgramInformer.ofKubeRs(strategy, target, namespace));
  }

  private void equalsServer(TriedClient client, Informer.Starter starter) throws Exception {
    runCacheable("watch", () -> followChanges(starter));
    recordTried(client, TriedClient.Circumstance.CHANGES);
  }

  private void followChanges(Informer.Starter starter) throws Exception {
    LabeledMaps maps = LabeledMaps.in(target());
    maps.create("first", "web");
    maps.create("other", "api");
    try (Informer informer = starter.start(target(), maps.namespace())) {
      awaitStory(
          informer, story -> assertThat(story).containsExactlyInAnyOrder("add first", "synced"));
      maps.set("first", 1);
      maps.create("second", "web");
      maps.label("other", "web");
      maps.label("first", "api");
      maps.set("first", 2);
      maps.delete("second");
      maps.create("second", "web");
      awaitStory(
          informer,
          story ->
              assertThat(ordered(informer, story.subList(2, story.size())))
                  .isEqualTo(ordered(informer, CHANGES)));
      assertThat(informer.state()).isEqualTo(informer.expected(maps.listed()));
    }
  }

  private static List<String> ordered(Informer informer, List<String> story) {
    return informer.ordersObjects()
        ? story
        : story.stream().sorted(Comparator.comparing(it -> it.substring(it.indexOf(' ')))).toList();
  }

  @Test
  default void kubectl_createsLabelsPatchesAndDeletes(@TempDir Path folder) throws Exception {
    LabeledMaps maps = LabeledMaps.in(target());
    Program kubectl = kubectl(maps.namespace());
    Path file = folder.resolve("map.yaml");
    Files.writeString(
        file,
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: made, labels: {app: web}}
        data: {value: "0"}
        """);
    assertThat(kubectl.and("create", "-f", file.toString()).run())
        .isEqualTo("configmap/made created\n");
    assertThat(kubectl.and("label", "configmap", "made", "release=canary").run())
        .isEqualTo("configmap/made labeled\n");
    assertThat(
            kubectl.and("patch", "configmap", "made", "-p", "{\"data\":{\"value\":\"1\"}}").run())
        .isEqualTo("configmap/made patched\n");
    String template = "{.metadata.labels.release} {.data.value}";
    assertThat(kubectl.and("get", "configmap", "made", "-o", "jsonpath=" + template).run())
        .isEqualTo("canary 1");
    runCacheable(
        "list",
        () ->
            assertThat(kubectl.and("get", "configmaps", "-l", "app=web", "-o", "name").run())
                .isEqualTo("configmap/made\n"));
    assertThat(kubectl.and("delete", "configmap", "made").run())
        .startsWith("configmap \"made\" deleted");
    assertThatThrownBy(kubectl.and("get", "configmap", "made")::run)
        .hasMessageContaining("Error from server (NotFound): configmaps \"made\" not found");
  }

  @Test
  default void kubectl_printsTableThenChanges() throws Exception {
    LabeledMaps maps = LabeledMaps.in(target());
    maps.create("first", "web");
    Program watch =
        kubectl(maps.namespace())
            .and("get", "configmaps", "-l", "app=web", "--watch", "--output-watch-events");
    try (RunningProgram kubectl = watch.start()) {
      await().atMost(LIMIT).until(() -> kubectl.out().size() == 2);
      maps.create("second", "web");
      maps.set("first", 1);
      maps.label("first", "api");
      maps.delete("second");
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(kubectl.out())
                      .extracting(line -> line.replaceAll("\\s+\\S+$", "").replaceAll(" +", " "))
                      .containsExactly(
                          "EVENT NAME DATA",
                          "ADDED first 1",
                          "ADDED second 1",
                          "MODIFIED first 1",
                          "DELETED first 1",
                          "DELETED second 1"));
      assertThat(kubectl.err()).isEmpty();
    }
  }

  @Test
  default void kubectl_waitsForValueAndDeletion() throws Exception {
    runCacheable(
        "watch",
        () -> {
          LabeledMaps maps = LabeledMaps.in(target());
          maps.create("first", "web");
          Program wait =
              kubectl(maps.namespace())
                  .and("wait", "configmap/first", "--timeout", "180s", "--v", "6");
          try (RunningProgram forValue = wait.and("--for", "jsonpath={.data.value}=2").start();
              RunningProgram forDeletion = wait.and("--for", "delete").start()) {
            for (RunningProgram each : List.of(forValue, forDeletion)) {
              await()
                  .atMost(LIMIT)
                  .untilAsserted(
                      () -> assertThat(each.err()).anyMatch(line -> line.contains("watch=true")));
            }
            maps.set("first", 1);
            maps.set("first", 2);
            assertThat(forValue.end()).as("%s", forValue.err()).isZero();
            assertThat(forValue.out()).containsExactly("configmap/first condition met");
            maps.delete("first");
            assertThat(forDeletion.end()).as("%s", forDeletion.err()).isZero();
            assertThat(forDeletion.out()).containsExactly("configmap/first condition met");
          }
        });
  }

  /** No controller runs here, so the test writes the status of the Deployment. */
  @Test
  default void kubectl_waitsForRollout() throws Exception {
    runCacheable(
        "watch",
        () -> {
          Deployment deployment = Deployment.create(LabeledMaps.in(target()), "web");
          deployment.setStatus(1, 0, 0);
          deployment.setImage("web:2");
          Program rollout =
              kubectl(deployment.namespace()).and("rollout", "status", "deployment/web");
          try (RunningProgram kubectl = rollout.start()) {
            awaitLastLine(kubectl, "Waiting for deployment spec update to be observed...");
            deployment.setStatus(2, 1, 0);
            awaitLastLine(
                kubectl,
                "Waiting for deployment \"web\" rollout to finish: 1 out of 2 new replicas have"
                    + " been updated...");
            deployment.setStatus(2, 2, 1);
            awaitLastLine(
                kubectl,
                "Waiting for deployment \"web\" rollout to finish: 1 of 2 updated replicas are"
                    + " available...");
            deployment.setStatus(2, 2, 2);
            assertThat(kubectl.end()).as("%s", kubectl.err()).isZero();
            assertThat(kubectl.out().getLast())
                .isEqualTo("deployment \"web\" successfully rolled out");
          }
        });
  }

  private static void awaitLastLine(RunningProgram program, String line) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(program.out()).as("%s", program.err()).endsWith(line));
  }

  @Test
  default void kubectl_printsNamesOfChanges() throws Exception {
    runCacheable(
        "watch",
        () -> {
          LabeledMaps maps = LabeledMaps.in(target());
          maps.create("first", "web");
          Program watch =
              kubectl(maps.namespace())
                  .and("get", "configmaps", "-l", "app=web", "-o", "name", "-w");
          try (RunningProgram kubectl = watch.start()) {
            await().atMost(LIMIT).until(() -> kubectl.out().size() == 1);
            maps.create("second", "web");
            maps.set("first", 1);
            await()
                .atMost(LIMIT)
                .untilAsserted(
                    () ->
                        assertThat(kubectl.out())
                            .containsExactly(
                                "configmap/first", "configmap/second", "configmap/first"));
            assertThat(kubectl.err()).isEmpty();
          }
        });
  }

  @Test
  default void kubectl_getsRawListsAndWatches() throws Exception {
    LabeledMaps maps = LabeledMaps.in(target());
    maps.create("first", "web");
    String path =
        "/api/v1/namespaces/%s/configmaps?labelSelector=app%%3Dweb".formatted(maps.namespace());
    Program raw = Kubectl.at(target().kubeconfig()).and("get", "--raw");
    runCacheable(
        "list",
        () -> {
          JsonNode item = Json.parse(raw.and(path).run()).get("items").get(0);
          assertThat(Map.of("first", LabeledMaps.essence(item))).isEqualTo(maps.listed());
        });
    runCacheable(
        "watch",
        () -> {
          try (RunningProgram kubectl = raw.and(path + "&watch=1").start()) {
            await()
                .atMost(LIMIT)
                .untilAsserted(
                    () -> assertThat(kubectl.out()).as("%s", kubectl.err()).isNotEmpty());
            JsonNode event = Json.parse(kubectl.out().getFirst());
            assertThat(event.get("type").textValue()).isEqualTo("ADDED");
            assertThat(Map.of("first", LabeledMaps.essence(event.get("object"))))
                .isEqualTo(maps.listed());
          }
        });
    recordTried(TriedClient.KUBECTL, TriedClient.Circumstance.CHANGES);
  }

  private Program kubectl(String namespace) throws Exception {
    return Kubectl.at(target().kubeconfig()).and("--namespace", namespace);
  }

  private static void awaitStory(Informer informer, ThrowingConsumer<List<String>> assertion) {
    await().atMost(LIMIT).untilAsserted(() -> assertion.accept(informer.story()));
  }
}
