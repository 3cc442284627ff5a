package io.watchgate.e2e.bench;

import static org.awaitility.Awaitility.await;

import io.watchgate.client.WatchClient;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.promises.GatewayProcess;
import io.watchgate.e2e.proxy.FaultProxy;
import java.io.IOException;
import java.time.Duration;

/** Address at which one replica after the other serves, each in a separate process. */
final class ReplicaAddress implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int HEAP_MIB = 512;

  private final Apiserver apiserver;
  private final FaultProxy front;
  private GatewayProcess gateway;

  private ReplicaAddress(Apiserver apiserver, GatewayProcess gateway) throws IOException {
    this.apiserver = apiserver;
    this.gateway = gateway;
    this.front = new FaultProxy(gateway.uri());
  }

  static ReplicaAddress start(Apiserver apiserver) throws IOException {
    return new ReplicaAddress(apiserver, ready(apiserver, HEAP_MIB));
  }

  /** Starts a replica and waits until it has loaded the config maps. */
  static GatewayProcess ready(Apiserver apiserver, int heapMib) throws IOException {
    GatewayProcess started =
        GatewayProcess.startAsServed(apiserver.kubeconfig(), "configmaps", heapMib);
    await("a replica is loaded")
        .atMost(LIMIT)
        .until(() -> started.metrics().sum("watchgate_synced", "type=\"configmaps\"") == 1);
    return started;
  }

  static String serverId(GatewayProcess gateway) {
    try (WatchClient client =
        WatchClient.to(gateway.uri().getHost(), gateway.uri().getPort()).build()) {
      return client.listResourceTypes(LIMIT).getServer().getServerId();
    }
  }

  int port() {
    return front.port();
  }

  String serverId() {
    return serverId(gateway);
  }

  /** Kills the replica with SIGKILL; returns once it has ended. */
  void kill() {
    gateway.close();
  }

  /** Starts a new replica after a kill. */
  void refill() throws IOException {
    gateway = ready(apiserver, HEAP_MIB);
    front.setTarget(gateway.uri());
  }

  /**
   * Replaces the replica as a Deployment does: the new one is ready before the old one gets its
   * SIGTERM.
   */
  void replace() throws IOException, InterruptedException {
    GatewayProcess old = gateway;
    refill();
    old.end();
  }

  @Override
  public void close() throws IOException {
    gateway.close();
    front.close();
  }
}
