package io.watchgate.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the command {@code list} with a gateway whose apiserver is unreachable. */
@WithApiserver
class StaleListTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private record Listed(List<String> out, List<String> err) {}

  private static Listed list(GatewayUnderTest gateway, String format) {
    try (Command list =
        Command.start(
            "list", "namespaces", "-o", format, "--server", "127.0.0.1:" + gateway.port())) {
      assertThat(list.awaitEnd()).isZero();
      return new Listed(List.copyOf(list.out()), List.copyOf(list.err()));
    }
  }

  @Test
  void apiserverGone_listReportsStaleness(
      @OwnApiserver(flags = OwnApiserver.STOPS_SOON) Apiserver apiserver) {
    try (GatewayUnderTest gateway =
        GatewayUnderTest.start(apiserver.kubeconfig(), GatewaySetup.QUICK.opening("namespaces"))) {
      // A list of a type that loads reports that it waits.
      await()
          .atMost(LIMIT)
          .until(() -> gateway.metrics().sum("watchgate_synced", "type=\"namespaces\"") == 1);
      assertThat(list(gateway, "name").err()).isEmpty();
      apiserver.stop();

      await()
          .atMost(LIMIT)
          .pollInterval(Duration.ofSeconds(2))
          .untilAsserted(
              () -> {
                assertThat(list(gateway, "name").err())
                    .singleElement()
                    .asString()
                    .matches(
                        "watchgate: stale: the apiserver last confirmed this state \\d+ s ago;"
                            + " the gateway cannot ask it now: .*cannot connect to.*");
                assertThat(String.join("", list(gateway, "json").out()))
                    .containsPattern("\"watchgate.io/staleness\":\"\\d+\\.\\d{3}s\"")
                    .contains("\"watchgate.io/upstream-error\":\"");
              });
    }
  }
}
