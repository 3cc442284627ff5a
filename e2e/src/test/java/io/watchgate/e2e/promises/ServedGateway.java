package io.watchgate.e2e.promises;

import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The program that {@link GatewayProcess} runs: a gateway with little patience and little memory of
 * what was, before the cluster of a kubeconfig; with a type as second argument, one that is set up
 * as {@code watchgate serve} has it, and opens that type. It prints its two ports in a line, and
 * ends with its stdin, so that it never outlives its tests.
 */
final class ServedGateway {
  /** Small, so that history is trimmed all the time, and whoever pauses falls out of it. */
  private static final GatewaySetup SETUP =
      GatewaySetup.QUICK.with(
          GatewaySetup.QUICK
              .cache()
              .withProbeEvery(Duration.ofSeconds(1))
              .withHistory(Duration.ofMinutes(10), 512 << 10)
              .withStreamingLists(Duration.ofSeconds(1), Duration.ofMillis(100)));

  private ServedGateway() {}

  public static void main(String[] arguments) {
    try {
      GatewaySetup setup =
          arguments.length > 1 ? GatewaySetup.AS_SERVED.opening(arguments[1]) : SETUP;
      GatewayUnderTest gateway = GatewayUnderTest.start(Path.of(arguments[0]), setup);
      Runtime.getRuntime().addShutdownHook(new Thread(gateway::close));
      System.out.println(gateway.port() + " " + gateway.httpPort());
      while (System.in.read() >= 0) {
        // Nothing is said to it.
      }
    } catch (IOException | RuntimeException e) {
      System.err.println("the gateway could not be started: " + e);
    }
    // Its threads would keep it alive.
    Runtime.getRuntime().halt(1);
  }
}
