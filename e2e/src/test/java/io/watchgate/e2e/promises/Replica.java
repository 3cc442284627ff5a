package io.watchgate.e2e.promises;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.proxy.DamagingProxy;
import io.watchgate.e2e.proxy.FaultProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A place where one gateway after the other serves, with a link to the apiserver and a front to
 * subscribers that can be broken. One thread does things to it; any may ask for its port and its
 * gateway.
 */
final class Replica implements AutoCloseable {
  /** Between the gateway and its apiserver. */
  private final FaultProxy link;

  /** Between subscribers and the gateway. */
  private final FaultProxy front;

  private final Path kubeconfig;

  /** Of all gateways that were here. */
  private final Path log = GatewayProcess.newLog();

  private final ProcessSetup setup;
  private final List<Life> ended = new ArrayList<>();
  private Set<ReplicaFault> suffered = EnumSet.noneOf(ReplicaFault.class);
  private volatile GatewayProcess gateway;

  /**
   * Starts a gateway.
   *
   * @param answers stands before the apiserver
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
  }

  /** Where subscribers find the gateway, whichever it is. */
  int port() {
    return front.port();
  }

  /** Whichever runs now. */
  GatewayProcess gateway() {
    return gateway;
  }

  Path log() {
    return log;
  }

  FaultProxy link() {
    return link;
  }

  FaultProxy front() {
    return front;
  }

  /** Keeps in mind what this gateway is to go through. */
  void suffers(ReplicaFault fault) {
    suffered.add(fault);
  }

  /** Another one begins, and once it is ready this one is told to end. */
  void replace() throws IOException, InterruptedException {
    GatewayProcess old = gateway;
    GatewayProcess next = GatewayProcess.start(kubeconfig, setup, log);
    next.awaitReady();
    ended.add(life());
    take(next);
    old.end();
  }

  /** It ends at once. */
  void kill() throws IOException, InterruptedException {
    ended.add(life());
    gateway.close();
  }

  /** After its end: another one begins in its place. */
  void startAnother() throws IOException {
    take(GatewayProcess.start(kubeconfig, setup, log));
  }

  /** Its port is another one; subscribers find it where the old one was. */
  private void take(GatewayProcess next) {
    suffered = EnumSet.noneOf(ReplicaFault.class);
    gateway = next;
    front.lead(next.uri());
  }

  private Life life() throws IOException, InterruptedException {
    return new Life(suffered, gateway.metrics());
  }

  /** Of all gateways that were here, the present one last. */
  List<Life> lives() throws IOException, InterruptedException {
    List<Life> lives = new ArrayList<>(ended);
    lives.add(life());
    return lives;
  }

  @Override
  public void close() throws IOException {
    gateway.close();
    front.close();
    link.close();
  }
}
