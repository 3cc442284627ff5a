package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.list;
import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchEvent;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tests of objects whose names Kubernetes' JSON writes with escapes. */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OddNamesTest {
  private static final Resource CLUSTER_ROLES =
      new Resource("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole");
  private static final List<String> NAMES =
      List.of("odd-r&d", "odd-a<b>", "odd-\"quoted\"", "odd-back\\slash", "odd-é");

  private Apiserver apiserver;
  private TestGateway gateway;

  @BeforeAll
  void start(Apiserver shared) {
    apiserver = shared;
    NAMES.forEach(this::create);
    gateway = TestGateway.start(shared.kubeconfig(), GatewaySetup.AS_SERVED);
  }

  @AfterAll
  void stop() {
    gateway.close();
    NAMES.forEach(name -> apiserver.cluster().delete(CLUSTER_ROLES, "", name));
  }

  private void create(String name) {
    var role = Json.object();
    role.put("apiVersion", "rbac.authorization.k8s.io/v1").put("kind", "ClusterRole");
    role.withObject("/metadata").put("name", name);
    apiserver.cluster().create(CLUSTER_ROLES, role);
  }

  private static List<String> odd(List<WatchEvent> events) {
    return events.stream()
        .map(event -> event.getKey().getName())
        .filter(name -> name.startsWith("odd-"))
        .toList();
  }

  @Test
  void list_printsOddNames() {
    assertThat(odd(gateway.calls().listObjects(list("clusterroles").build()).getObjectsList()))
        .containsExactlyInAnyOrderElementsOf(NAMES);
  }

  @Test
  void selector_findsOddNames() {
    for (String name : NAMES) {
      var request = list("clusterroles");
      request.getSelectionBuilder().setFieldSelector("metadata.name=" + name.replace("\\", "\\\\"));
      assertThat(odd(gateway.calls().listObjects(request.build()).getObjectsList()))
          .containsExactly(name);
    }
  }

  @Test
  void watch_printsChangesOfOddNames() {
    ListAndWatchRequest request = watch("clusterroles").build();
    try (Subscriber subscriber = gateway.subscribe(request).begun()) {
      for (String name : List.of("odd-new&1", "odd-new\"2\"")) {
        create(name);
        apiserver
            .cluster()
            .patch(CLUSTER_ROLES, "", name, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
        apiserver.cluster().delete(CLUSTER_ROLES, "", name);
        await()
            .atMost(Subscriber.LIMIT)
            .untilAsserted(
                () ->
                    assertThat(subscriber.fold().changes())
                        .filteredOn(event -> event.getKey().getName().equals(name))
                        .extracting(event -> event.getType().name())
                        .containsExactly(
                            "EVENT_TYPE_ADDED", "EVENT_TYPE_MODIFIED", "EVENT_TYPE_DELETED"));
      }
      assertThat(subscriber.isOver()).isFalse();
      assertThat(subscriber.fold().violations()).isEmpty();
    }
  }
}
