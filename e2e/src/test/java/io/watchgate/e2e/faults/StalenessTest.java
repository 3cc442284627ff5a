package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests of the reported staleness. The judged test checks that it is never too small. */
@WithSharedApiserver
final class StalenessTest {
  private static final Duration PROBES = Duration.ofSeconds(1);

  /** Two probes, of which the first failed, plus the delay of a busy machine. */
  private static final double FRESH_SECONDS = 4;

  private static double staleness(TestGateway gateway) {
    return gateway.metric("watchgate_staleness_seconds", "type=\"configmaps\"");
  }

  private static double secondsSince(long nanoTime) {
    return (System.nanoTime() - nanoTime) / 1e9;
  }

  /** Changes an object until the gateway has proved its state current, long after its list. */
  private static void awaitFresh(TestGateway gateway, ConfigMaps maps) {
    long begin = System.nanoTime();
    await()
        .atMost(Subscriber.LIMIT)
        .until(
            () -> {
              maps.set("a", 1);
              maps.set("a", 2);
              return secondsSince(begin) > FRESH_SECONDS + 1 && staleness(gateway) < FRESH_SECONDS;
            });
  }

  @Test
  void staleness_growsWhileApiserverIsSilent(Apiserver apiserver) {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "stale");
    maps.create("a", 0);
    GatewaySetup setup = GatewaySetup.QUICK.with(GatewaySetup.QUICK.cache().withProbeEvery(PROBES));
    try (ThrottlingProxy proxy = ThrottlingProxy.to(apiserver.server().getPort());
        TestGateway gateway =
            TestGateway.start(
                apiserver.kubeconfigVia(URI.create("https://127.0.0.1:" + proxy.port())), setup);
        Subscriber subscriber =
            gateway.subscribe(watch("configmaps", maps.namespace()).build()).begun()) {
      awaitFresh(gateway, maps);
      assertThat(gateway.metric("watchgate_probes_total", "outcome=\"answered\"")).isPositive();

      proxy.flow(ThrottlingProxy.Flow.HELD);
      long held = System.nanoTime();
      await().atMost(Subscriber.LIMIT).until(() -> secondsSince(held) > FRESH_SECONDS);
      double silent = secondsSince(held);
      assertThat(staleness(gateway)).isGreaterThanOrEqualTo(silent);

      proxy.flow(ThrottlingProxy.Flow.FREE);
      awaitFresh(gateway, maps);
      maps.awaitEqual(subscriber);
    }
  }
}
