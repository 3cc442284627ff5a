package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.balance.BalanceSettings;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchClientBuilder;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.proxy.FaultProxy;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests of replicas that are added and removed, and of the distribution of streams over them. */
@WithApiserver
@Execution(ExecutionMode.CONCURRENT) // of its tests
final class ScaleTest {
  private static final int CLIENTS = 80;
  private static final int WATCHES = 3;

  /** Replicas at first and at last, and those that join and leave meanwhile. */
  private static final int FEW = 3;

  private static final int JOINED = 3;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  /**
   * Short compared to the time for which clients avoid a replica that sent them away, which fits
   * the default of 10 s.
   */
  private static final BalanceSettings.Pace PACE =
      new BalanceSettings.Pace(Duration.ofSeconds(2), Duration.ofSeconds(12));

  /** Time limit below {@link #REQUEST_TIMEOUT}. */
  private static final Duration SOON = Duration.ofMinutes(3);

  /** Timeout of a request to a silent apiserver. */
  private static final Duration REQUEST_TIMEOUT = Duration.ofMinutes(5);

  private static final Duration AVOIDED = Duration.ofSeconds(10);

  private final List<FaultProxy> fronts = new ArrayList<>();
  private final List<TestGateway> gateways = new ArrayList<>();
  private final List<LocatedWatch> watches = new ArrayList<>();

  /** Reserves an address for a replica; connections before its start are refused. */
  private void addPlace() throws IOException {
    FaultProxy front = new FaultProxy(URI.create("http://127.0.0.1:1"));
    front.pass(FaultProxy.Manner.CUT);
    fronts.add(front);
  }

  private void scaleTo(int replicas, Apiserver apiserver, String namespace) {
    GatewaySetup setup =
        GatewaySetup.QUICK
            .opening("configmaps")
            .balancing(new BalanceSettings(namespace, "gateway", PACE));
    while (gateways.size() < replicas) {
      TestGateway gateway = TestGateway.start(apiserver.kubeconfig(), setup);
      await().atMost(LIMIT).until(() -> gateway.http("/readyz").statusCode() == 200);
      FaultProxy front = fronts.get(gateways.size());
      front.setTarget(URI.create("http://127.0.0.1:" + gateway.port()));
      front.pass(FaultProxy.Manner.PASSING);
      gateways.add(gateway);
    }
    List<TestGateway> gone = gateways.subList(replicas, gateways.size());
    try (var together = Executors.newVirtualThreadPerTaskExecutor()) {
      gone.forEach(gateway -> together.execute(gateway::close));
    }
    gone.clear();
  }

  private void awaitEven() {
    double mean = (double) watches.size() / gateways.size();
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              assertThat(gateways)
                  .allSatisfy(
                      gateway -> {
                        assertThat(gateway.metric("watchgate_streams", "type=\"configmaps\""))
                            .isBetween(0.8 * mean, 1.2 * mean);
                        assertThat(gateway.metric("watchgate_replicas")).isEqualTo(gateways.size());
                      });
              assertThat(streams()).isEqualTo(watches.size());
            });
  }

  private double streams() {
    return gateways.stream()
        .mapToDouble(gateway -> gateway.metric("watchgate_streams", "type=\"configmaps\""))
        .sum();
  }

  private WatchClient client() {
    WatchClientBuilder builder = WatchClient.to("127.0.0.1", fronts.getFirst().port());
    fronts.stream().skip(1).forEach(front -> builder.and("127.0.0.1", front.port()));
    return builder.build();
  }

  @Test
  void scaling_spreadsStreamsWithFewMoves(Apiserver apiserver) throws Exception {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "scale");
    maps.create("a", 0);
    try {
      for (int i = 0; i < FEW + JOINED; i++) {
        addPlace();
      }
      scaleTo(FEW, apiserver, maps.namespace());
      for (int i = 0; i < CLIENTS; i++) {
        WatchClient client = client();
        for (int j = 0; j < WATCHES; j++) {
          watches.add(new LocatedWatch(client, watch("configmaps", maps.namespace()).build()));
        }
      }
      awaitEven();

      scaleTo(FEW + JOINED, apiserver, maps.namespace());
      awaitEven();
      await()
          .atMost(LIMIT)
          .until(() -> watches.stream().allMatch(watch -> watch.hasStayedFor(AVOIDED)));
      scaleTo(FEW, apiserver, maps.namespace());
      awaitEven();

      assertThat(watches)
          .allSatisfy(
              watch -> {
                assertThat(watch.moves()).isLessThanOrEqualTo(JOINED + 1);
                assertThat(watch.snapshots()).containsExactly("SNAPSHOT_REASON_REQUESTED");
              });
      assertThat(watches).anyMatch(watch -> watch.moves() == 2);
      assertThat(watches.stream().mapToInt(LocatedWatch::moves).sum())
          .isLessThanOrEqualTo((int) (1.2 * neededMoves()));
    } finally {
      watches.forEach(LocatedWatch::close);
      gateways.forEach(TestGateway::close);
      for (FaultProxy front : fronts) {
        front.close();
      }
    }
  }

  /**
   * Returns the sum of moves that the steps need. Replicas join one after another, and each takes
   * its share of all watches, so that a watch may move to the first and then on to the next. Those
   * of a replica that leaves move once.
   */
  private double neededMoves() {
    double moves = 0;
    for (int replicas = FEW + 1; replicas <= FEW + JOINED; replicas++) {
      moves += (double) watches.size() / replicas;
    }
    return moves + (double) watches.size() * JOINED / (FEW + JOINED);
  }

  @Test
  void silentApiserver_doesNotDelayShutdown(Apiserver apiserver) throws Exception {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "end");
    GatewaySetup setup =
        GatewaySetup.QUICK
            .with(GatewaySetup.QUICK.kube().withRequestTimeout(REQUEST_TIMEOUT))
            .balancing(new BalanceSettings(maps.namespace(), "end", PACE));
    try (FaultProxy link = new FaultProxy(apiserver.server());
        TestGateway other = TestGateway.start(apiserver.kubeconfig(), setup)) {
      long begun;
      try (TestGateway gateway = TestGateway.start(apiserver.kubeconfigVia(link.uri()), setup)) {
        await().atMost(LIMIT).until(() -> gateway.metric("watchgate_replicas") == 2);
        link.pass(FaultProxy.Manner.SILENT);
        begun = System.nanoTime();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);
      await().atMost(LIMIT).until(() -> other.metric("watchgate_replicas") == 1);
    }
  }
}
