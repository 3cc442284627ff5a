package io.watchgate.e2e.promises;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.proxy.DamagingProxy;
import io.watchgate.e2e.proxy.FaultProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Slot of one replica: one gateway process after the other, a proxy to the apiserver and proxies to
 * subscribers, all of which can inject faults. One thread applies faults; any thread may read the
 * port and the gateway.
 */
final class Replica implements AutoCloseable {
  /** Proxy between the gateway and its apiserver. */
  private final FaultProxy link;

  /** Proxy between subscribers and the gateway. */
  private final FaultProxy front;

  /** Proxy between clients of the Kubernetes read API and the gateway. */
  private final FaultProxy kubeFront;

  private final Path kubeconfig;

  /** Log of all gateways of this slot. */
  private final Path log = GatewayProcess.newLog();

  private final ProcessSetup setup;
  private final List<ProcessRecord> ended = new ArrayList<>();
  private Set<ReplicaFault> suffered = EnumSet.noneOf(ReplicaFault.class);
  private volatile GatewayProcess gateway;

  /**
   * Starts a gateway.
   *
   * @param answers proxy in front of the apiserver
   */
  Replica(Apiserver apiserver, Optional<DamagingProxy> answers, ProcessSetup setup)
      throws IOException {
    this.setup = setup;
    this.link = new FaultProxy(answers.map(DamagingProxy::uri).orElse(apiserver.server()));
    this.kubeconfig =
        answers.isPresent()
            ? answers.get().kubeconfigVia(link.uri())
            : apiserver.kubeconfigVia(link.uri());
    this.gateway = GatewayProcess.start(kubeconfig, setup, log);
    this.front = new FaultProxy(gateway.uri());
    this.kubeFront = new FaultProxy(gateway.kubeUri());
  }

  /** Returns the port for subscribers; it stays the same over restarts. */
  int port() {
    return front.port();
  }

  /** Returns the port for clients of the Kubernetes read API; it stays the same, too. */
  int kubePort() {
    return kubeFront.port();
  }

  /** Returns the current process. */
  GatewayProcess gateway() {
    return gateway;
  }

  Path log() {
    return log;
  }

  FaultProxy link() {
    return link;
  }

  /** Returns the proxies of all clients. */
  List<FaultProxy> fronts() {
    return List.of(front, kubeFront);
  }

  /** Records a fault that this gateway is about to suffer. */
  void recordFault(ReplicaFault fault) {
    suffered.add(fault);
  }

  /** Starts a replacement, and sends SIGTERM to this process once the replacement is ready. */
  void replace() throws IOException, InterruptedException {
    GatewayProcess old = gateway;
    GatewayProcess next = GatewayProcess.start(kubeconfig, setup, log);
    next.awaitReady();
    ended.add(life());
    take(next);
    old.end();
  }

  /** Sends SIGTERM to the process and waits for its end. */
  void end() throws IOException, InterruptedException {
    ended.add(life());
    gateway.end();
  }

  /** Kills the process. */
  void kill() throws IOException, InterruptedException {
    ended.add(life());
    gateway.close();
  }

  /** Starts a replacement after the process has ended. */
  void startAnother() throws IOException {
    take(GatewayProcess.start(kubeconfig, setup, log));
  }

  /** Makes a process the current one. It has another port, and the proxy now leads to it. */
  private void take(GatewayProcess next) {
    suffered = EnumSet.noneOf(ReplicaFault.class);
    gateway = next;
    front.setTarget(next.uri());
    kubeFront.setTarget(next.kubeUri());
  }

  private ProcessRecord life() throws IOException, InterruptedException {
    try (Stream<String> lines = Files.lines(log)) {
      return new ProcessRecord(
          suffered, gateway.metrics(), lines.filter(line -> line.contains(" WARN ")).toList());
    }
  }

  /** Returns the records of all processes of this slot, the last one last. */
  List<ProcessRecord> processRecords() throws IOException, InterruptedException {
    List<ProcessRecord> records = new ArrayList<>(ended);
    if (gateway.isAlive()) {
      records.add(life());
    }
    return records;
  }

  @Override
  public void close() throws IOException {
    gateway.close();
    front.close();
    kubeFront.close();
    link.close();
  }
}
