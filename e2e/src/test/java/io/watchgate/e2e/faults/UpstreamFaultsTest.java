package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of a real apiserver that stops, refuses, compacts and changes. */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class UpstreamFaultsTest {
  private static final Resource ROLES =
      new Resource("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole");
  private static final Resource BINDINGS =
      new Resource("rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding");

  private Apiserver apiserver;
  private Cluster cluster;

  /**
   * Starts a gateway. Config maps are watched without watch cache, so that a compaction takes
   * effect.
   */
  @BeforeAll
  void start(@OwnApiserver(flags = OwnApiserver.UNCACHED) Apiserver own) {
    apiserver = own;
    cluster = own.cluster();
  }

  private ThrottlingProxy proxy() {
    return ThrottlingProxy.to(apiserver.server().getPort());
  }

  private TestGateway gatewayBehind(ThrottlingProxy proxy) {
    URI address = URI.create("https://127.0.0.1:" + proxy.port());
    return TestGateway.start(apiserver.kubeconfigVia(address), GatewaySetup.QUICK);
  }

  static List<GatewaySetup> named() {
    return List.of(GatewaySetup.QUICK, GatewaySetup.QUICK.as("admin"));
  }

  @ParameterizedTest
  @MethodSource("named")
  void apiserverAwayAtStart_gatewayIsLiveNotReady(GatewaySetup setup) {
    ConfigMaps maps = ConfigMaps.in(cluster, "absent");
    maps.create("a", 1);
    apiserver.kill();
    try (TestGateway gateway = TestGateway.make(apiserver.kubeconfig(), setup)) {
      CompletableFuture<Void> serving = gateway.startLater();
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> gateway.http("/readyz").body().contains("waiting for the apiserver"));
      assertThat(gateway.http("/readyz").statusCode()).isEqualTo(503);
      assertThat(gateway.http("/livez").statusCode()).isEqualTo(200);

      apiserver.start();

      serving.join();
      assertThat(gateway.http("/readyz").statusCode()).isEqualTo(200);
      try (Subscriber subscriber =
          gateway.subscribe(watch("configmaps", maps.namespace()).build())) {
        maps.awaitEqual(subscriber);
      }
    }
  }

  @Test
  void apiserverAway_onlyLoadedTypesAreServed() {
    ConfigMaps maps = ConfigMaps.in(cluster, "away");
    maps.create("a", 0);
    ListAndWatchRequest request = watch("configmaps", maps.namespace()).build();
    try (TestGateway gateway =
        TestGateway.start(apiserver.kubeconfig(), GatewaySetup.IMPATIENT.opening("configmaps"))) {
      // Loaded: with the short timeout a stream of a type that loads may be refused.
      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> gateway.metric("watchgate_synced", "type=\"configmaps\"") == 1);
      try (Subscriber subscriber = gateway.subscribe(request).begun()) {
        maps.count("a", 1, 5);
        maps.awaitEqual(subscriber);

        apiserver.kill();

        await()
            .atMost(Subscriber.LIMIT)
            .until(() -> gateway.metric("watchgate_synced", "type=\"configmaps\"") == 0);
        try (Subscriber late = gateway.subscribe(request).begun()) {
          assertThat(late.fold().state()).isEqualTo(subscriber.fold().state());
        }
        ReceivedError answer = gateway.refuse(watch("pods").build());
        assertThat(answer.summary()).isEqualTo("UNAVAILABLE UPSTREAM_UNAVAILABLE RESUME");
        assertThat(answer.message()).contains("cannot connect");
        assertThat(answer.retryAfter()).isPositive();

        apiserver.start();

        maps.count("a", 6, 10);
        maps.awaitEqual(subscriber);
        assertThat(subscriber.fold().values(maps.key("a"))).startsWith(1, 2, 3, 4, 5).endsWith(10);
      }
    }
  }

  @Test
  void cutConnection_deliversEveryChange() {
    ConfigMaps maps = ConfigMaps.in(cluster, "cut");
    maps.create("a", 0);
    try (ThrottlingProxy proxy = proxy();
        TestGateway gateway = gatewayBehind(proxy);
        Subscriber subscriber =
            gateway.subscribe(watch("configmaps", maps.namespace()).build()).begun()) {
      maps.count("a", 1, 10);
      proxy.cut();
      maps.count("a", 11, 20);
      proxy.flow(ThrottlingProxy.Flow.HELD);
      proxy.cut();
      maps.count("a", 21, 30);
      proxy.flow(ThrottlingProxy.Flow.FREE);
      maps.awaitEqual(subscriber);

      assertThat(subscriber.fold().values(maps.key("a")))
          .isEqualTo(IntStream.rangeClosed(1, 30).boxed().toList());
      assertThat(gateway.metric("watchgate_lists_total", "type=\"configmaps\"")).isEqualTo(1);
    }
  }

  /** The apiserver answers 410. */
  @Test
  void compactedHistory_isNetEffectOrEnd() {
    ConfigMaps maps = ConfigMaps.in(cluster, "compacted");
    maps.create("a", 0);
    maps.create("b", 0);
    ListAndWatchRequest request = watch("configmaps", maps.namespace()).build();
    ListAndWatchRequest strict =
        request.toBuilder()
            .setDelivery(Delivery.newBuilder().setLagPolicy(LagPolicy.LAG_POLICY_DISCONNECT))
            .build();
    try (ThrottlingProxy proxy = proxy();
        TestGateway gateway = gatewayBehind(proxy);
        Subscriber subscriber = gateway.subscribe(request).begun();
        Subscriber disconnecting = gateway.subscribe(strict).begun()) {
      maps.count("a", 1, 5);
      maps.awaitEqual(subscriber);
      proxy.flow(ThrottlingProxy.Flow.HELD);
      proxy.cut();
      maps.count("a", 6, 20);
      maps.delete("b");
      maps.create("c", 0);
      assertThat(apiserver.compact()).isPositive();
      proxy.flow(ThrottlingProxy.Flow.FREE);
      maps.awaitEqual(subscriber);

      assertThat(subscriber.fold().signals())
          .containsExactly("OPENED", "SNAPSHOT REQUESTED", "SYNCED", "NET_EFFECT UPSTREAM_GAP");
      assertThat(subscriber.fold().values(maps.key("a"))).containsExactly(1, 2, 3, 4, 5, 20);
      assertThat(subscriber.fold().story())
          .endsWith(
              "DELETED " + maps.key("b"), "MODIFIED " + maps.key("a"), "ADDED " + maps.key("c"));
      assertThat(disconnecting.end().summary()).isEqualTo("OUT_OF_RANGE CHANGES_LOST RESTART");
      assertThat(gateway.metric("watchgate_lists_total", "reason=\"expired\"")).isEqualTo(1);
    }
  }

  /** The apiserver answers 403 until the right is granted. */
  @Test
  void forbiddenType_isServedOnceGranted() {
    ConfigMaps maps = ConfigMaps.in(cluster, "forbidden");
    maps.create("a", 1);
    ListAndWatchRequest request = watch("configmaps", maps.namespace()).build();
    try (TestGateway gateway =
        TestGateway.start(apiserver.kubeconfig(), GatewaySetup.QUICK.as("limited"))) {
      ReceivedError answer = gateway.refuse(request);
      assertThat(answer.summary()).isEqualTo("UNAVAILABLE UPSTREAM_FORBIDDEN RESUME");
      assertThat(answer.message())
          .contains(
              "\"limited\" cannot", "An administrator must grant list and watch on configmaps");
      assertThat(answer.retryAfter()).isPositive();

      grantToLimited();

      await()
          .atMost(Subscriber.LIMIT)
          .until(() -> gateway.metric("watchgate_synced", "type=\"configmaps\"") == 1);
      try (Subscriber subscriber = gateway.subscribe(request)) {
        maps.awaitEqual(subscriber);
      }
    }
  }

  private void grantToLimited() {
    cluster.create(
        ROLES,
        Json.parse(
            """
            {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
             "metadata":{"name":"reader"},
             "rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["list","watch"]}]}
            """));
    cluster.create(
        BINDINGS,
        Json.parse(
            """
            {"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",
             "metadata":{"name":"limited-reads"},
             "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"reader"},
             "subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"limited"}]}
            """));
  }
}
