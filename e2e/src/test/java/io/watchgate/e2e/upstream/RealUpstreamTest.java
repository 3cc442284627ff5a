package io.watchgate.e2e.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.cache.ApiResource;
import io.watchgate.cache.Cluster.Found;
import io.watchgate.cache.Cluster.Unknown;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeReference;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.Upstream.ListFailed;
import io.watchgate.cache.Upstream.Listed;
import io.watchgate.cache.Upstream.WatchOutcome;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamFailure.Expired;
import io.watchgate.cache.UpstreamFailure.Forbidden;
import io.watchgate.cache.UpstreamFailure.ServerError;
import io.watchgate.cache.UpstreamFailure.TypeGone;
import io.watchgate.cache.UpstreamFailure.Unauthorized;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import io.watchgate.kube.KubeCluster;
import io.watchgate.kube.KubeException;
import io.watchgate.kube.KubeSettings;
import io.watchgate.kube.Kubeconfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithSharedApiserver
final class RealUpstreamTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** More than one page. */
  private static final int MANY = KubeSettings.DEFAULT.sizes().pageSize() + 20;

  private static KubeCluster connect(Path kubeconfig, String context) throws Exception {
    return KubeCluster.of(
        Kubeconfig.load(kubeconfig, context), KubeSettings.DEFAULT, System::nanoTime);
  }

  private static TypeDefinition found(KubeCluster cluster, String name) throws Exception {
    assertThat(cluster.resolve(new TypeReference("", "", name))).isInstanceOf(Found.class);
    return ((Found) cluster.resolve(new TypeReference("", "", name))).definition();
  }

  private static Upstream open(KubeCluster cluster, String type) throws Exception {
    return cluster.open(found(cluster, type));
  }

  private static JsonNode configMap(String namespace, String name) {
    return Json.parse(
        """
        {"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"%s","name":"%s"},
         "data":{"text":"<a href=\\"&\\">\\u2028 \\u00e9 \\ud83d\\ude00"}}
        """
            .formatted(namespace, name));
  }

  // ---- discovery

  @Test
  void type_isFoundByEachName(Apiserver apiserver) throws Exception {
    Widgets.install(apiserver.cluster());
    try (KubeCluster cluster = connect(apiserver.kubeconfig(), "")) {
      for (String name : List.of("pods", "po", "pod", "Pod", "v1/pods", "pods.v1")) {
        assertThat(found(cluster, name).type().toString()).as(name).isEqualTo("pods/v1");
      }
      for (String name :
          List.of("deploy", "Deployment", "deployments.apps", "apps/v1/deployments")) {
        assertThat(found(cluster, name).type().toString())
            .as(name)
            .isEqualTo("deployments.apps/v1");
      }
      assertThat(found(cluster, "events").type().group()).isEmpty();
      assertThat(found(cluster, "nodes").type().isNamespaced()).isFalse();
      assertThat(found(cluster, "componentstatuses").isWatchable()).isFalse();
    }
  }

  @Test
  void customResource_isFoundWithDefinition(Apiserver apiserver) throws Exception {
    Widgets.install(apiserver.cluster());
    String uid =
        apiserver
            .cluster()
            .get(Resource.DEFINITIONS, "", "widgets.e2e.watchgate.io")
            .at("/metadata/uid")
            .textValue();
    try (KubeCluster cluster = connect(apiserver.kubeconfig(), "")) {
      for (String name : List.of("widgets", "wg", "Widget", "e2e.watchgate.io/v2/widgets")) {
        TypeDefinition second = found(cluster, name);
        assertThat(second.type().toString()).as(name).isEqualTo("widgets.e2e.watchgate.io/v2");
        assertThat(second.definitionUid()).isEqualTo(uid);
        assertThat(second.selectableFields()).isEmpty();
      }
      assertThat(found(cluster, "e2e.watchgate.io/v1/widgets").selectableFields())
          .containsExactly("spec.color", "spec.size", "spec.active");
      assertThat(cluster.types().types())
          .extracting(definition -> definition.type().groupResource())
          .contains("pods", "deployments.apps", "widgets.e2e.watchgate.io")
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void unknownType_suggestsSimilarNames(Apiserver apiserver) throws Exception {
    try (KubeCluster cluster = connect(apiserver.kubeconfig(), "admin-certificate")) {
      assertThat(cluster.resolve(new TypeReference("", "", "podz")))
          .isEqualTo(new Unknown(List.of("pods")));
      assertThat(cluster.resolve(new TypeReference("", "", "deploymnets")))
          .isEqualTo(new Unknown(List.of("deployments.apps")));
      assertThat(cluster.resolve(new TypeReference("apps", "v2", "deployments")))
          .isEqualTo(new Unknown(List.of("deployments.apps")));
    }
  }

  // ---- lists

  @Test
  void pagedAndStreamingList_haveSameBytes(Apiserver apiserver) throws Exception {
    Cluster writer = apiserver.cluster();
    Widgets.install(writer);
    writer.createNamespace("many");
    IntStream.range(0, MANY)
        .parallel()
        .forEach(i -> writer.create(Resource.CONFIGMAPS, configMap("many", "c-" + i)));
    for (int i = 0; i < 3; i++) {
      writer.create(Widgets.V1, Widgets.widget("many", "w-" + i, "{\"size\":9007199254740993}"));
    }
    try (KubeCluster cluster = connect(apiserver.kubeconfig(), "")) {
      assertThat(assertBothListsAreAlike(cluster, "configmaps")).hasSizeGreaterThanOrEqualTo(MANY);
      assertThat(assertBothListsAreAlike(cluster, "widgets")).hasSize(3);
      // Not cached. The apiserver itself may have written some.
      assertBothListsAreAlike(cluster, "events");
    }
  }

  private static List<String> assertBothListsAreAlike(KubeCluster cluster, String type)
      throws Exception {
    UpstreamRecorder paged = new UpstreamRecorder();
    UpstreamRecorder streamed = new UpstreamRecorder();
    try (Upstream upstream = open(cluster, type)) {
      long listed = version(upstream.list(paged));
      assertThat(upstream.watchList(LIMIT, streamed).stop())
          .isEqualTo(UpstreamRecorder.Enough.ENOUGH);
      // Versions are the cluster's, and the apiserver writes its own leases.
      assertThat(Long.parseLong(streamed.version)).isBetween(listed, version(upstream.probe()));
    }
    assertThat(streamed.objects).isEqualTo(paged.objects);
    return paged.objects;
  }

  private static long version(Upstream.ListOutcome outcome) {
    assertThat(outcome).isInstanceOf(Listed.class);
    return Long.parseLong(((Listed) outcome).resourceVersion());
  }

  // ---- refusals

  private static UpstreamFailure listFailure(Upstream upstream) {
    return ((ListFailed) upstream.list(new UpstreamRecorder())).failure();
  }

  private static UpstreamFailure watchFailure(Upstream upstream, String version) {
    return Optional.ofNullable(upstream.watch(version, new UpstreamRecorder()).failure())
        .orElseThrow();
  }

  @Test
  void unknownToken_isUnauthorized(Apiserver apiserver, @TempDir Path folder) throws Exception {
    String text = Files.readString(apiserver.kubeconfig());
    Path wrong =
        Files.writeString(folder.resolve("config"), text.replaceAll("token: .*", "token: wr0ng"));
    TypeDefinition pods;
    try (KubeCluster admin = connect(apiserver.kubeconfig(), "")) {
      pods = found(admin, "pods");
    }
    try (KubeCluster cluster = connect(wrong, "");
        Upstream upstream = cluster.open(pods)) {
      String message = ": 401 Unauthorized: Unauthorized";
      assertThat(listFailure(upstream)).isEqualTo(new Unauthorized("list pods" + message));
      assertThat(watchFailure(upstream, "1")).isEqualTo(new Unauthorized("watch pods" + message));
      assertThat(upstream.watchList(LIMIT, new UpstreamRecorder()).failure())
          .isEqualTo(new Unauthorized("streaming list pods" + message));
    }
  }

  @Test
  void userWithoutRight_isForbidden(Apiserver apiserver) throws Exception {
    try (KubeCluster cluster = connect(apiserver.kubeconfig(), "limited");
        Upstream upstream = open(cluster, "pods")) {
      String message =
          " pods: 403 Forbidden: pods is forbidden: User \"limited\" cannot %s resource \"pods\" in"
              + " API group \"\" at the cluster scope";
      assertThat(listFailure(upstream))
          .isEqualTo(new Forbidden("list" + message.formatted("list")));
      assertThat(watchFailure(upstream, "1"))
          .isEqualTo(new Forbidden("watch" + message.formatted("watch")));
      assertThat(upstream.watchList(LIMIT, new UpstreamRecorder()).failure())
          .isEqualTo(new Forbidden("streaming list" + message.formatted("watch")));
      assertThatThrownBy(cluster::uid)
          .isInstanceOf(KubeException.class)
          .hasMessageContaining("403 Forbidden")
          .hasMessageContaining("configure a name for the cluster");
    }
  }

  @Test
  void unservedTypeAndInvalidVersion_areReported(Apiserver apiserver) throws Exception {
    try (KubeCluster cluster = connect(apiserver.kubeconfig(), "");
        Upstream absent =
            cluster.open(
                new TypeDefinition(
                    new ApiResource(
                        "gone.io", "v1", "things", "Thing", ApiResource.Scope.NAMESPACED),
                    "",
                    List.of(),
                    List.of(),
                    "",
                    List.of()));
        Upstream pods = open(cluster, "pods")) {
      assertThat(listFailure(absent))
          .isEqualTo(new TypeGone("list things.gone.io: 404: 404 page not found"));
      assertThat(watchFailure(pods, "abc"))
          .isInstanceOf(ServerError.class)
          .extracting(UpstreamFailure::message)
          .asString()
          .contains("invalid syntax");
    }
  }

  @Test
  void compaction_expiresPageTokenAndWatch(
      @OwnApiserver(flags = OwnApiserver.UNCACHED) Apiserver apiserver) throws Exception {
    Cluster writer = apiserver.cluster();
    IntStream.range(0, MANY)
        .parallel()
        .forEach(i -> writer.create(Resource.CONFIGMAPS, configMap("default", "c-" + i)));
    try (KubeCluster cluster = connect(apiserver.kubeconfig(), "");
        Upstream upstream = open(cluster, "configmaps")) {
      long before = version(upstream.probe());
      UpstreamRecorder recorder =
          new UpstreamRecorder(
              () -> { // while the first page is read
                writer.create(Resource.CONFIGMAPS, configMap("default", "d"));
                writer.create(Resource.CONFIGMAPS, configMap("default", "e"));
                apiserver.compact();
              });
      UpstreamFailure failure = ((ListFailed) upstream.list(recorder)).failure();
      assertThat(failure).isInstanceOf(Expired.class);
      assertThat(failure.message())
          .startsWith("list configmaps: 410 Expired: The provided continue parameter is too old");
      assertThat(recorder.objects).hasSize(KubeSettings.DEFAULT.sizes().pageSize());
      assertThat(upstream.list(new UpstreamRecorder())).isInstanceOf(Listed.class);
      WatchOutcome watched = upstream.watch(Long.toString(before), new UpstreamRecorder());
      assertThat(watched.failure())
          .isEqualTo(
              new Expired(
                  "watch configmaps: 410 Expired: The resourceVersion for the provided watch is too"
                      + " old."));
    }
  }
}
