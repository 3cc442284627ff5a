package io.watchgate.e2e.promises;

import io.watchgate.balance.BalanceSettings;
import io.watchgate.cache.BackoffSettings;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/**
 * Main program of {@link GatewayProcess}: a gateway with short timeouts for the cluster of a
 * kubeconfig. Its arguments are the kubeconfig, the KiB of history, and types to open; {@link
 * ProcessSetup#AS_SERVED} selects the timeouts and the history of {@code watchgate serve}. It
 * prints its three ports in a line, and ends with its stdin, so that it never outlives its tests.
 */
final class ServedGateway {
  /** Balancing as in a cluster, but within seconds. */
  private static final BalanceSettings EVEN =
      new BalanceSettings(
          "default",
          "served",
          new BalanceSettings.Pace(Duration.ofSeconds(1), Duration.ofSeconds(5)));

  private ServedGateway() {}

  private static GatewaySetup setup(int historyKib, String... types) {
    if (historyKib == ProcessSetup.AS_SERVED) {
      return GatewaySetup.AS_SERVED.opening(types).balancing(EVEN);
    }
    // A gateway with required types has other replicas, which may be ahead, and is frozen for
    // seconds, so it uses the timeouts of a served gateway: a request that is in flight then must
    // not fail.
    GatewaySetup setup =
        types.length == 0
            ? GatewaySetup.IMPATIENT
            : GatewaySetup.QUICK
                .with(GatewaySetup.AS_SERVED.fanout())
                .with(GatewaySetup.AS_SERVED.kube());
    return setup
        .with(
            GatewaySetup.QUICK
                .cache()
                .withProbeEvery(Duration.ofSeconds(1))
                .withHistory(Duration.ofMinutes(10), historyKib << 10)
                .with(
                    new BackoffSettings(
                        GatewaySetup.QUICK.cache().retries().base(),
                        GatewaySetup.QUICK.cache().retries().cap(),
                        types.length == 0
                            ? Duration.ofSeconds(2)
                            : GatewaySetup.AS_SERVED.cache().retries().markerTimeout(),
                        Duration.ofMillis(100))))
        .opening(types);
  }

  public static void main(String[] arguments) {
    try {
      GatewaySetup setup =
          setup(Integer.parseInt(arguments[1]), Arrays.copyOfRange(arguments, 2, arguments.length));
      GatewayUnderTest gateway = GatewayUnderTest.startWithKubeApi(Path.of(arguments[0]), setup);
      Runtime.getRuntime().addShutdownHook(new Thread(gateway::close));
      System.out.println(gateway.port() + " " + gateway.httpPort() + " " + gateway.kubePort());
      while (System.in.read() >= 0) {
        // Stdin carries no commands.
      }
    } catch (IOException | RuntimeException e) {
      System.err.println("the gateway could not be started: " + e);
    }
    // Its threads would keep the process alive.
    Runtime.getRuntime().halt(1);
  }
}
