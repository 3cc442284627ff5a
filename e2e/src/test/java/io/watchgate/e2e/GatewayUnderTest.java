package io.watchgate.e2e;

import io.watchgate.cli.AccessSettings;
import io.watchgate.cli.Gateway;
import io.watchgate.cli.GatewaySettings;
import io.watchgate.grpc.StreamLimits;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.Kubeconfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A gateway in this JVM, before the cluster that a kubeconfig names. */
public final class GatewayUnderTest implements AutoCloseable {
  private static final Duration DRAIN = Duration.ofSeconds(2);

  /** Silent, as the command has it: gRPC logs what it also reports. */
  private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

  static {
    GRPC_LOG.setLevel(Level.OFF);
  }

  private final Gateway gateway;

  private GatewayUnderTest(Gateway gateway) {
    this.gateway = gateway;
  }

  /** Made, but not started: the probes answer. */
  public static GatewayUnderTest make(Path kubeconfig, GatewaySetup setup) {
    return make(kubeconfig, setup, DRAIN);
  }

  /**
   * The same.
   *
   * @param drain longest time that {@link #close} gives streams to end
   */
  public static GatewayUnderTest make(Path kubeconfig, GatewaySetup setup, Duration drain) {
    InetAddress thisMachine = InetAddress.getLoopbackAddress();
    GatewaySettings settings =
        new GatewaySettings(
            new InetSocketAddress(thisMachine, 0),
            new InetSocketAddress(thisMachine, 0),
            Optional.empty(),
            setup.clusterName(),
            setup.types(),
            setup.cache(),
            setup.kube(),
            setup.feed(),
            StreamLimits.DEFAULTS,
            AccessSettings.OPEN,
            drain,
            setup.balance());
    try {
      return new GatewayUnderTest(
          new Gateway(Kubeconfig.load(kubeconfig, setup.context()), settings));
    } catch (ConfigException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns once it serves on a port of this machine, without encryption. */
  public static GatewayUnderTest start(Path kubeconfig, GatewaySetup setup) {
    GatewayUnderTest made = make(kubeconfig, setup);
    made.start();
    return made;
  }

  /** Returns once it serves. */
  public void start() {
    try {
      gateway.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Where it serves gRPC on this machine. */
  public int port() {
    return gateway.port();
  }

  /** Where it serves probes and metrics on this machine. */
  public int httpPort() {
    return gateway.httpPort();
  }

  @Override
  public void close() {
    gateway.close();
  }
}
