package io.watchgate.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.kube.ConfigException;
import io.watchgate.kube.Kubeconfig;
import io.watchgate.server.AccessSettings;
import io.watchgate.server.Gateway;
import io.watchgate.server.GatewaySettings;
import io.watchgate.server.KubeApiSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Gateway in this JVM in front of the cluster of a kubeconfig. */
public final class GatewayUnderTest implements AutoCloseable {
  /** System property: gateways of this JVM send all responses by gRPC. */
  public static final String WITHOUT_LANE = "watchgate.test.without-lane";

  private static final Duration DRAIN = Duration.ofSeconds(2);

  /** Turned off, as the command does: gRPC logs errors that it also reports. */
  private static final Logger GRPC_LOG = Logger.getLogger("io.grpc");

  static {
    GRPC_LOG.setLevel(Level.OFF);
  }

  private final Gateway gateway;

  private GatewayUnderTest(Gateway gateway) {
    this.gateway = gateway;
  }

  /** Creates a gateway without starting it: only the probes answer. */
  public static GatewayUnderTest make(Path kubeconfig, GatewaySetup setup) {
    return make(kubeconfig, setup, DRAIN);
  }

  /**
   * Creates a gateway without starting it.
   *
   * @param drain longest time that {@link #close} gives streams to end
   */
  public static GatewayUnderTest make(Path kubeconfig, GatewaySetup setup, Duration drain) {
    return make(kubeconfig, setup, drain, Optional.empty());
  }

  private static GatewayUnderTest make(
      Path kubeconfig, GatewaySetup setup, Duration drain, Optional<KubeApiSettings> kubeApi) {
    InetAddress thisMachine = InetAddress.getLoopbackAddress();
    GatewaySettings settings =
        new GatewaySettings(
            new InetSocketAddress(thisMachine, 0),
            new InetSocketAddress(thisMachine, 0),
            kubeApi,
            Optional.empty(),
            setup.clusterName(),
            setup.types(),
            setup.cache(),
            setup.kube(),
            setup.fanout(),
            GatewayStreamLimits.DEFAULTS,
            AccessSettings.OPEN,
            drain,
            setup.balance(),
            lane(),
            List.of());
    try {
      return new GatewayUnderTest(
          new Gateway(Kubeconfig.load(kubeconfig, setup.context()), settings));
    } catch (ConfigException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static GatewaySettings.Lane lane() {
    return Boolean.getBoolean(WITHOUT_LANE) ? GatewaySettings.Lane.OFF : GatewaySettings.Lane.ON;
  }

  /** Starts a gateway on a local port, without encryption. Returns once it serves. */
  public static GatewayUnderTest start(Path kubeconfig, GatewaySetup setup) {
    GatewayUnderTest made = make(kubeconfig, setup);
    made.start();
    return made;
  }

  /** Starts a gateway that serves the Kubernetes read API, too, on another port. */
  public static GatewayUnderTest startWithKubeApi(Path kubeconfig, GatewaySetup setup) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    GatewayUnderTest made = make(kubeconfig, setup, DRAIN, Optional.of(KubeApiSettings.at(any)));
    made.start();
    return made;
  }

  /** Starts a gateway with settings for its Kubernetes read API. */
  public static GatewayUnderTest startWithKubeApi(
      Path kubeconfig, GatewaySetup setup, KubeApiSettings kubeApi) {
    return startWithKubeApi(kubeconfig, setup, kubeApi, DRAIN);
  }

  /**
   * Starts a gateway with settings for its Kubernetes read API.
   *
   * @param drain longest time that {@link #close} gives streams to end
   */
  public static GatewayUnderTest startWithKubeApi(
      Path kubeconfig, GatewaySetup setup, KubeApiSettings kubeApi, Duration drain) {
    GatewayUnderTest made = make(kubeconfig, setup, drain, Optional.of(kubeApi));
    made.start();
    return made;
  }

  /** Starts the gateway. Returns once it serves. */
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

  /** Returns the local port of gRPC. */
  public int port() {
    return gateway.port();
  }

  /** Returns the local port of probes and metrics. */
  public int httpPort() {
    return gateway.httpPort();
  }

  /** Returns the metrics. */
  public MetricsText metrics() throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + httpPort() + "/metrics");
    try (InputStream page = uri.toURL().openStream()) {
      return new MetricsText(new String(page.readAllBytes(), UTF_8));
    }
  }

  /** Returns the local port of the Kubernetes read API. */
  public int kubePort() {
    return gateway.kubePort().orElseThrow();
  }

  @Override
  public void close() {
    gateway.close();
  }
}
