package io.watchgate.cli;

import io.watchgate.sandbox.churn.ChurnSettings.Pace;
import io.watchgate.server.GatewaySettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of commands that embed a sandbox. */
@OptionGroup("Embedded sandbox of serve and demo")
final class SandboxOptions {
  private static final String LISTEN = "--sandbox-listen";
  private static final String DEFAULT_ADDRESS = "127.0.0.1:8080";

  /** Enough for a table that fits the screen. */
  private static final int DEFAULT_NODES = 3;

  @Spec(Spec.Target.MIXEE)
  private @Nullable CommandSpec command;

  @Option(
      names = LISTEN,
      paramLabel = "HOST:PORT",
      description =
          "Address at which the sandbox is served, for kubectl and curl. Default: "
              + DEFAULT_ADDRESS)
  private @Nullable String listen;

  @Mixin private final ChurnOptions churn = new ChurnOptions();

  /** Returns whether any of these options was given. */
  boolean isGiven() {
    return listen != null || churn.isGiven();
  }

  /**
   * Starts the sandbox.
   *
   * @param insecure whether an address that is not loopback is allowed
   * @param gateway settings of the gateway, whose addresses are other ones
   * @param heap bytes that the sandbox may use
   * @param pace pace of the simulated users' changes
   * @throws IOException if the sandbox's address is taken
   */
  EmbeddedSandbox start(boolean insecure, GatewaySettings gateway, long heap, Pace pace)
      throws IOException {
    String text = Optional.ofNullable(listen).orElse(DEFAULT_ADDRESS);
    InetSocketAddress address = EmbeddedSandbox.address(command, LISTEN, text, insecure);
    ListenAddress.requireDistinct(command, LISTEN, address, "--listen", gateway.listen());
    ListenAddress.requireDistinct(command, LISTEN, address, "--http-listen", gateway.httpListen());
    gateway
        .kubeApi()
        .ifPresent(
            api ->
                ListenAddress.requireDistinct(
                    command, LISTEN, address, "--kube-listen", api.listen()));
    return new EmbeddedSandbox(
        heap, address, LISTEN, null, churn.seed(), churn.settings(DEFAULT_NODES, pace));
  }
}
