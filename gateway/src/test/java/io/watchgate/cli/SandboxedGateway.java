package io.watchgate.cli;

import io.watchgate.cache.CacheSettings;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.grpc.StreamLimits;
import io.watchgate.kube.KubeSettings;
import io.watchgate.server.AccessSettings;
import io.watchgate.server.Gateway;
import io.watchgate.server.GatewaySettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Gateway of an embedded sandbox, both on free ports. */
final class SandboxedGateway implements AutoCloseable {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final EmbeddedSandbox cluster;
  private final Gateway gateway;

  SandboxedGateway() throws Exception {
    cluster = new EmbeddedSandbox(1L << 30, ANY, "--listen", null, 1, Optional.empty());
    gateway =
        new Gateway(
            cluster.clientConfig(),
            new GatewaySettings(
                ANY,
                ANY,
                Optional.empty(),
                "",
                List.of(),
                CacheSettings.forHeap(Runtime.getRuntime().maxMemory())
                    .withProbeEvery(Duration.ofSeconds(1)),
                KubeSettings.DEFAULT,
                FanoutSettings.DEFAULTS,
                StreamLimits.DEFAULTS,
                AccessSettings.OPEN,
                Duration.ofSeconds(1),
                Optional.empty()));
    gateway.start();
  }

  String apiserver() {
    return "http://" + cluster.hostPort();
  }

  int port() {
    return gateway.port();
  }

  int httpPort() {
    return gateway.httpPort();
  }

  /** Ends the gateway and keeps the sandbox. */
  void endGateway() {
    gateway.close();
  }

  @Override
  public void close() {
    gateway.close();
    cluster.close();
  }
}
