package io.watchgate.e2e.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.DirectEvent;
import io.watchgate.e2e.kube.DirectWatch;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.KubeException;
import io.watchgate.e2e.kube.RawWatch;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

@WithApiserver
class ApiserverTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  @Test
  void version_isThatOfGoMod(Apiserver apiserver) {
    assertThat(apiserver.cluster().read("/version").get("gitVersion").textValue())
        .startsWith("v1.36.");
  }

  @Test
  void userWithoutRights_isRefused(Apiserver apiserver) {
    try (Cluster limited = apiserver.clusterAs("limited")) {
      assertThatThrownBy(() -> limited.list(Resource.PODS, "default", Map.of()))
          .isInstanceOfSatisfying(
              KubeException.class, refusal -> assertThat(refusal.code()).isEqualTo(403))
          .hasMessageContaining("User \\\"limited\\\" cannot list resource");
    }
  }

  @Test
  void watch_receivesSelectedWrites(Apiserver apiserver) {
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace("seen");
    cluster.create(Resource.CONFIGMAPS, configMap("seen", "first"));
    Log log = new Log();
    try (DirectWatch watch =
        DirectWatch.start(
            cluster, Resource.CONFIGMAPS, "seen", Map.of("labelSelector", "!hidden"), log)) {
      await().atMost(LIMIT).until(() -> log.lists.size() == 1);
      cluster.create(Resource.CONFIGMAPS, configMap("seen", "second"));
      cluster.patch(Resource.CONFIGMAPS, "seen", "first", "{\"data\":{\"a\":\"b\"}}");
      cluster.patch(
          Resource.CONFIGMAPS, "seen", "first", "{\"metadata\":{\"labels\":{\"hidden\":\"\"}}}");
      cluster.delete(Resource.CONFIGMAPS, "seen", "second");
      await().atMost(LIMIT).until(() -> log.changes.size() == 4);
      assertThat(log.lists.getFirst()).extracting(DirectEvent::keyOf).contains("seen/first");
      assertThat(log.changes)
          .containsExactly(
              "ADDED seen/second",
              "MODIFIED seen/first",
              "DELETED seen/first",
              "DELETED seen/second");
      assertThat(watch.failure()).isNull();
    }
    cluster.delete(Resource.CONFIGMAPS, "seen", "first");
  }

  @Test
  void deletedNamespace_isGone(Apiserver apiserver) {
    Cluster cluster = apiserver.cluster();
    cluster.createNamespace("short-lived");
    cluster.deleteNamespace("short-lived");
    assertThatThrownBy(() -> cluster.get(Resource.NAMESPACES, "", "short-lived"))
        .isInstanceOfSatisfying(
            KubeException.class, refusal -> assertThat(refusal.code()).isEqualTo(404));
  }

  @Test
  void restart_keepsAddressAndData(@OwnApiserver Apiserver apiserver) {
    Cluster cluster = apiserver.cluster();
    JsonNode written = cluster.create(Resource.CONFIGMAPS, configMap("default", "kept"));
    apiserver.stop();
    apiserver.start();
    assertThat(cluster.get(Resource.CONFIGMAPS, "default", "kept")).isEqualTo(written);
    apiserver.kill();
    apiserver.start();
    assertThat(cluster.get(Resource.CONFIGMAPS, "default", "kept")).isEqualTo(written);
  }

  @Test
  void compaction_expiresVersionsWithoutWatchCache(
      @OwnApiserver(flags = OwnApiserver.UNCACHED) Apiserver apiserver) {
    Cluster cluster = apiserver.cluster();
    String before = versionOf(cluster.create(Resource.CONFIGMAPS, configMap("default", "a")));
    // Two changes, because a compaction keeps the newest version itself.
    cluster.create(Resource.CONFIGMAPS, configMap("default", "b"));
    cluster.create(Resource.CONFIGMAPS, configMap("default", "c"));
    apiserver.compact();
    assertThat(firstOf(cluster, Resource.CONFIGMAPS, before).at("/object/code").intValue())
        .isEqualTo(410);
  }

  @Test
  void schemaChange_expiresVersions(@OwnApiserver Apiserver apiserver) {
    Cluster cluster = apiserver.cluster();
    Widgets.install(cluster);
    String before =
        versionOf(cluster.create(Widgets.V1, Widgets.widget("default", "a", "{\"size\":1}")));
    cluster.create(Widgets.V1, Widgets.widget("default", "b", "{\"size\":1}"));
    assertThat(firstOf(cluster, Widgets.V1, before).get("type").textValue()).isEqualTo("ADDED");
    Widgets.renew(cluster);
    assertThat(firstOf(cluster, Widgets.V1, before).at("/object/code").intValue()).isEqualTo(410);
  }

  @Test
  void widgetFields_areSelectableInOneVersion(Apiserver apiserver) {
    Cluster cluster = apiserver.cluster();
    Widgets.install(cluster);
    Widgets.install(cluster);
    cluster.createNamespace("widgets");
    cluster.create(
        Widgets.V1,
        Widgets.widget("widgets", "one", "{\"color\":\"red\",\"size\":3,\"active\":true}"));
    for (String selector :
        List.of("spec.color=red", "spec.size=3", "spec.active=true", "spec.size!=4")) {
      JsonNode list =
          cluster.list(Widgets.V1, "widgets", Map.of("fieldSelector", selector)).get("items");
      assertThat(list).as(selector).hasSize(1);
    }
    assertThatThrownBy(
            () -> cluster.list(Widgets.V2, "widgets", Map.of("fieldSelector", "spec.color=red")))
        .hasMessageContaining("field label not supported: spec.color");
    cluster.delete(Widgets.V1, "widgets", "one");
  }

  private static String versionOf(JsonNode object) {
    return object.at("/metadata/resourceVersion").textValue();
  }

  /** Returns the first frame of a watch from {@code version}. */
  private static JsonNode firstOf(Cluster cluster, Resource type, String version) {
    String path = type.path("") + "?watch=1&resourceVersion=" + version;
    try (RawWatch watch =
        await()
            .atMost(LIMIT)
            .ignoreExceptionsInstanceOf(KubeException.class) // after a definition has changed
            .until(() -> RawWatch.open(cluster, path, "application/json"), Objects::nonNull)) {
      await().atMost(LIMIT).until(() -> !watch.lines().isEmpty());
      return Json.parse(watch.lines().getFirst());
    }
  }

  private static JsonNode configMap(String namespace, String name) {
    return Json.parse(
        """
        {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s"}}
        """
            .formatted(namespace, name));
  }

  private static final class Log implements DirectWatch.Listener {
    final List<List<JsonNode>> lists = new CopyOnWriteArrayList<>();
    final List<String> changes = new CopyOnWriteArrayList<>();

    @Override
    public void listed(long resourceVersion, List<JsonNode> objects) {
      lists.add(objects);
    }

    @Override
    public void changed(DirectEvent event) {
      changes.add(event.change() + " " + event.key());
    }
  }
}
