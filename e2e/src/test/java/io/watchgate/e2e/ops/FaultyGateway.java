package io.watchgate.e2e.ops;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.faults.Command;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Gateway with one fault, and the alerts that the fault causes. Prometheus tells its alerts from
 * those of others by the label {@code namespace}.
 */
final class FaultyGateway implements AutoCloseable {
  private static final int HEAP_MIB = 96;
  private static final int SMALL_WINDOW = 64 << 10;
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final String name;
  private final Set<String> expected;
  private final List<Prometheus.Target> targets = new ArrayList<>();
  private final Deque<AutoCloseable> resources = new ConcurrentLinkedDeque<>();
  private final Collection<Thread> loops = new ConcurrentLinkedQueue<>();
  private Set<String> accompanying = Set.of();
  private String job = "watchgate";
  private Duration interval = Duration.ofSeconds(1);
  private Action fault = () -> {};
  private volatile boolean closed;

  /** Work of a test, which may throw. */
  interface Action {
    void run() throws Exception;
  }

  /** Start of a gateway, which may throw. */
  interface Start {
    FaultyGateway run() throws Exception;
  }

  /**
   * @param name value of the label {@code namespace}
   * @param expected alerts that have to fire
   */
  FaultyGateway(String name, String... expected) {
    this.name = name;
    this.expected = Set.of(expected);
  }

  /** Sets the alerts that may fire, too. */
  FaultyGateway accompaniedBy(String... alerts) {
    accompanying = Set.of(alerts);
    return this;
  }

  /** Sets the job of the gateways that are added later. */
  FaultyGateway ofJob(String other) {
    job = other;
    return this;
  }

  /** Sets the scrape interval, and the timeout, of the gateways that are added later. */
  FaultyGateway scrapedEvery(Duration other) {
    interval = other;
    return this;
  }

  /** Sets what begins the fault, once the gateway was scraped. */
  FaultyGateway broken(Action by) {
    fault = by;
    return this;
  }

  String name() {
    return name;
  }

  Set<String> expected() {
    return expected;
  }

  Set<String> accompanying() {
    return accompanying;
  }

  List<Prometheus.Target> targets() {
    return targets;
  }

  void breakIt() throws Exception {
    fault.run();
  }

  /** Closes {@code resource} with this gateway. */
  <T extends AutoCloseable> T own(T resource) {
    resources.push(resource);
    return resource;
  }

  /** Starts {@code watchgate serve} with options. Returns before it serves. */
  Command serve(Path kubeconfig, String... options) {
    return own(Command.start(HEAP_MIB, line(kubeconfig, options)));
  }

  /** Returns the arguments of the command. */
  static String[] line(Path kubeconfig, String... options) {
    List<String> line = new ArrayList<>(List.of("serve", "--kubeconfig", kubeconfig.toString()));
    line.addAll(List.of("--listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"));
    line.addAll(List.of(options));
    return line.toArray(String[]::new);
  }

  /** Waits until the command serves, and adds its page to the targets. */
  Command.Ports scraped(Command command) {
    Command.Ports ports = command.awaitServing();
    targets.add(new Prometheus.Target(job, name, ports.http(), interval));
    return ports;
  }

  /** Starts a gateway in this JVM, with settings that have no option. */
  GatewayUnderTest start(Path kubeconfig, GatewaySetup setup) {
    GatewayUnderTest gateway = own(GatewayUnderTest.start(kubeconfig, setup));
    targets.add(new Prometheus.Target(job, name, gateway.httpPort(), interval));
    return gateway;
  }

  /** Opens a connection with a small window, so that little is sent to a client that waits. */
  ManagedChannel connect(int port) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .usePlaintext()
            .disableRetry()
            .flowControlWindow(SMALL_WINDOW)
            .build();
    resources.push(channel::shutdownNow);
    return channel;
  }

  /** Returns the connection with a bearer token. */
  static Channel with(Channel channel, String token) {
    Metadata headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + token);
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** Repeats {@code work} until the end, with a pause after each time. */
  void repeat(Duration pause, Action work) {
    loops.add(
        Thread.ofVirtual()
            .name(name)
            .start(
                () -> {
                  while (!closed) {
                    try {
                      work.run();
                    } catch (Exception e) {
                      if (!closed) {
                        System.err.println(name + ": " + e);
                      }
                    }
                    LockSupport.parkNanos(pause.toNanos());
                  }
                }));
  }

  @Override
  public String toString() {
    return name;
  }

  @Override
  public void close() {
    closed = true;
    try {
      for (Thread loop : loops) {
        loop.interrupt();
        loop.join();
      }
      for (AutoCloseable resource : resources) {
        resource.close();
      }
    } catch (Exception e) {
      throw new IllegalStateException(name, e);
    }
  }
}
