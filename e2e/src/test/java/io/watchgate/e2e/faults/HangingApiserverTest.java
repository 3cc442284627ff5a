package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.list;
import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Widgets;
import io.watchgate.kube.KubeSettings;
import io.watchgate.proto.v1.ListResourceTypesRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** Tests with an apiserver that accepts connections and answers nothing. */
@WithApiserver
final class HangingApiserverTest {
  /** Time of calls that do not wait for the apiserver, below the timeouts of those that do. */
  private static final Duration AT_ONCE = Duration.ofSeconds(30);

  private static final Duration LOOKUP = Duration.ofSeconds(60);
  private static final Duration SHORT_LOOKUP = Duration.ofSeconds(5);
  private static final Duration REQUEST = Duration.ofMinutes(5);
  private static final Executor CALLS = task -> Thread.ofVirtual().start(task);

  /**
   * Returns the settings of {@code watchgate serve}, but discovery results expire after a moment.
   */
  private static GatewaySetup forgetful(Duration lookup) {
    KubeSettings.Timeouts usual = KubeSettings.DEFAULT.timeouts();
    return GatewaySetup.AS_SERVED.with(
        KubeSettings.DEFAULT
            .with(new KubeSettings.Ages(Duration.ofMillis(1), Duration.ofMinutes(1)))
            .with(
                new KubeSettings.Timeouts(
                    usual.connect(), REQUEST, usual.page(), /* ping= */ REQUEST, lookup)));
  }

  @Test
  void hangingApiserver_loadedTypeIsServed(@OwnApiserver Apiserver own) {
    Cluster cluster = own.cluster();
    Widgets.install(cluster);
    ConfigMaps maps = ConfigMaps.in(cluster, "hang");
    maps.create("a", 0);
    String namespace = maps.namespace();
    cluster.create(Widgets.V1, Widgets.widget(namespace, "w", "{}"));
    try (TestGateway gateway = TestGateway.start(own.kubeconfig(), forgetful(LOOKUP));
        TestGateway other = TestGateway.start(own.kubeconfig(), forgetful(SHORT_LOOKUP));
        Subscriber open = gateway.subscribe(watch("configmaps", namespace).build()).begun();
        Subscriber custom = gateway.subscribe(watch("widgets", namespace).build()).begun()) {
      assertThat(types(gateway)).isGreaterThan(10);

      own.pause();
      try {
        for (int round = 0; round < 3; round++) {
          List<CompletableFuture<Integer>> calls = new ArrayList<>();
          for (int i = 0; i < 4; i++) {
            calls.add(call(() -> objects(gateway, "configmaps", namespace)));
            calls.add(call(() -> objects(gateway, "widgets", namespace)));
            calls.add(call(() -> snapshot(gateway, "cm", namespace)));
            calls.add(call(() -> snapshot(gateway, "widgets", namespace)));
          }
          for (CompletableFuture<Integer> each : calls) {
            assertThat(each).succeedsWithin(AT_ONCE).isEqualTo(1);
          }
          assertThat(call(() -> types(gateway)))
              .succeedsWithin(AT_ONCE)
              .satisfies(types -> assertThat(types).isGreaterThan(10));
        }
        // The lookup ends before the request does.
        assertThat(call(() -> other.refuse(watch("unheardof").build())))
            .succeedsWithin(REQUEST.dividedBy(2))
            .extracting(ReceivedError::summary)
            .isEqualTo("UNAVAILABLE UPSTREAM_UNAVAILABLE RESUME");
      } finally {
        own.resume();
      }
      maps.create("b", 0);
      maps.awaitEqual(open);
      await()
          .atMost(Subscriber.LIMIT)
          .untilAsserted(
              () ->
                  assertThat(gateway.refuse(watch("unheardof").build()).summary())
                      .isEqualTo("NOT_FOUND TYPE_UNKNOWN STOP"));
      assertThat(custom.isOver()).isFalse();
    }
  }

  private interface Call<T> {
    T make();
  }

  private static <T> CompletableFuture<T> call(Call<T> call) {
    return CompletableFuture.supplyAsync(call::make, CALLS);
  }

  private static int objects(TestGateway gateway, String type, String namespace) {
    return gateway.calls().listObjects(list(type, namespace).build()).getObjectsCount();
  }

  private static int snapshot(TestGateway gateway, String type, String namespace) {
    try (Subscriber subscriber = gateway.subscribe(watch(type, namespace).build()).begun()) {
      return subscriber.fold().state().size();
    }
  }

  private static int types(TestGateway gateway) {
    return gateway
        .calls()
        .listResourceTypes(ListResourceTypesRequest.getDefaultInstance())
        .getTypesCount();
  }
}
