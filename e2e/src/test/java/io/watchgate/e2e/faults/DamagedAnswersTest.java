package io.watchgate.e2e.faults;

import static io.watchgate.e2e.faults.Requests.watch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.proxy.Damage;
import io.watchgate.e2e.proxy.Damage.Aim;
import io.watchgate.e2e.proxy.Damage.Ending;
import io.watchgate.e2e.proxy.Damage.Half;
import io.watchgate.e2e.proxy.Damage.Instead;
import io.watchgate.e2e.proxy.DamagingProxy;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests with answers that a real apiserver does not send, but a proxy in front of it may. */
@WithSharedApiserver
final class DamagedAnswersTest {
  private static final int CHANGES = 20;

  static Stream<Arguments> damages() {
    return Stream.of(
        Arguments.of("a login page", new Instead(Aim.ANY, 200, "text/html", "<html>"), "malformed"),
        Arguments.of("a cut connection", new Half(Aim.ANY, Ending.CONNECTION_CUT), "transport"),
        Arguments.of("half an object", new Half(Aim.ANY, Ending.CLEAN), "transport"),
        Arguments.of(
            "429 as text",
            new Instead(Aim.ANY, 429, "text/plain", "Too many requests"),
            "throttled"),
        Arguments.of( // error while etcd elects a leader: no event was missed
            "500 without reason",
            new Instead(
                Aim.ANY,
                500,
                "application/json",
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":500}"),
            "servererror"),
        Arguments.of(
            "404 as text",
            new Instead(Aim.ANY, 404, "text/plain", "404 page not found\n"),
            "typegone"));
  }

  /** Damages the list twice, and later a watch and the probe before it. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("damages")
  void damagedAnswer_losesNoChange(String what, Damage damage, String reason, Apiserver apiserver) {
    ConfigMaps maps = ConfigMaps.in(apiserver.cluster(), "damaged");
    maps.create("a", 0);
    try (DamagingProxy proxy = DamagingProxy.before(apiserver)) {
      proxy.damage(damage, damage);
      try (TestGateway gateway = TestGateway.start(proxy.kubeconfig(), GatewaySetup.QUICK);
          Subscriber subscriber =
              gateway.subscribe(watch("configmaps", maps.namespace()).build()).begun()) {
        assertThat(proxy.isSpent()).isTrue();
        maps.awaitEqual(subscriber);

        proxy.damage(damage, damage);
        proxy.cut();
        maps.count("a", 1, CHANGES);
        await().atMost(Subscriber.LIMIT).until(proxy::isSpent);
        maps.create("b", 0);
        maps.awaitEqual(subscriber);

        assertThat(gateway.metric("watchgate_watch_ends_total", "\"" + reason + "\""))
            .as("ends by %s", reason)
            .isGreaterThanOrEqualTo(2);
        assertThat(subscriber.isOver()).isFalse();
        if (reason.equals("servererror")) {
          assertThat(subscriber.fold().signals()).doesNotContain("NET_EFFECT UPSTREAM_GAP");
        }
        List<Integer> values = subscriber.fold().values(maps.key("a"));
        if (subscriber.fold().signals().contains("NET_EFFECT UPSTREAM_GAP")) {
          assertThat(values).endsWith(CHANGES);
        } else {
          assertThat(values).isEqualTo(IntStream.rangeClosed(1, CHANGES).boxed().toList());
        }
      }
    }
  }
}
