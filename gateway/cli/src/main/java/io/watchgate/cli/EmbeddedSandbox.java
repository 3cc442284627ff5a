package io.watchgate.cli;

import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.http.HttpServer;
import io.watchgate.http.HttpSettings;
import io.watchgate.http.TlsFiles;
import io.watchgate.kube.ClientConfig;
import io.watchgate.sandbox.Sandbox;
import io.watchgate.sandbox.SandboxSettings;
import io.watchgate.sandbox.churn.ChurnSettings;
import io.watchgate.sandbox.churn.ClusterSimulation;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Sandbox with its server and the cluster simulation. Closing ends all of them; nothing is
 * persisted.
 */
final class EmbeddedSandbox implements AutoCloseable {
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("sandbox").factory());
  private final Sandbox sandbox;
  private final HttpServer server;
  private final InetSocketAddress address;
  private final @Nullable ClusterSimulation simulation;

  /**
   * Starts the sandbox.
   *
   * @param heap bytes that the sandbox may use
   * @param option name of the address option, for error messages
   * @param tls null for plaintext
   * @throws IOException if the address is taken, or a file of {@code tls} cannot be used
   */
  EmbeddedSandbox(
      long heap,
      InetSocketAddress address,
      String option,
      @Nullable TlsFiles tls,
      long seed,
      Optional<ChurnSettings> churn)
      throws IOException {
    this.address = address;
    SandboxSettings settings = SandboxSettings.forHeap(heap, seed);
    sandbox = Sandbox.create(settings, TimeSource.SYSTEM, timer);
    server =
        new HttpServer(
            address,
            tls,
            sandbox.catalog(),
            sandbox.writes(),
            TimeSource.SYSTEM,
            HttpSettings.DEFAULT,
            FanoutSettings.DEFAULTS.with(FanoutSettings.Limits.forHeap(heap)));
    try {
      server.start();
    } catch (IOException e) {
      sandbox.close();
      timer.shutdownNow();
      throw new IOException(
          "%s; name another address with %s, or stop the program that listens there"
              .formatted(e.getMessage(), option),
          e);
    }
    simulation =
        churn
            .map(
                it ->
                    ClusterSimulation.start(
                        sandbox.catalog(), sandbox.writes(), it, TimeSource.SYSTEM))
            .orElse(null);
  }

  /**
   * Returns the address of an option.
   *
   * @throws ParameterException if it is no address, or not loopback although {@code insecure} is
   *     false
   */
  static InetSocketAddress address(
      @Nullable CommandSpec command, String option, String text, boolean insecure) {
    InetSocketAddress address = ListenAddress.parse(command, option, text);
    if (!insecure && !address.getAddress().isLoopbackAddress()) {
      throw UsageError.of(
          command,
          option
              + " "
              + text
              + " is not loopback, and every host on the network could read and write; say"
              + " --insecure if that is meant");
    }
    return address;
  }

  /** Returns {@code HOST:PORT} with the host as given. */
  String hostPort() {
    return ListenAddress.text(address, server.port());
  }

  /** Returns a gateway's configuration for a sandbox that serves plaintext. */
  ClientConfig clientConfig() {
    return ClientConfig.plaintext(hostPort(), "the embedded sandbox");
  }

  @Override
  public void close() {
    if (simulation != null) {
      simulation.close();
    }
    server.close();
    sandbox.close();
    timer.shutdownNow();
  }
}
