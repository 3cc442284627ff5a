package io.watchgate.e2e.faults;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.MetricsText;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Gateway in this JVM, and clients of it. */
final class TestGateway implements AutoCloseable {
  static final int SMALL_WINDOW = 64 << 10;
  static final int LARGE_WINDOW = 64 << 20;

  private final GatewayUnderTest gateway;
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private @Nullable ManagedChannel channel;

  private TestGateway(GatewayUnderTest gateway) {
    this.gateway = gateway;
  }

  /** Creates a gateway without starting it: only the probes answer. */
  static TestGateway make(Path kubeconfig, GatewaySetup setup) {
    return new TestGateway(GatewayUnderTest.make(kubeconfig, setup));
  }

  /** Returns a gateway that serves. */
  static TestGateway start(Path kubeconfig, GatewaySetup setup) {
    return new TestGateway(GatewayUnderTest.start(kubeconfig, setup));
  }

  /** Starts the gateway. Returns once it serves. */
  void start() {
    gateway.start();
  }

  /** Begins to start, which waits for the apiserver. */
  CompletableFuture<Void> startLater() {
    return CompletableFuture.runAsync(this::start);
  }

  int port() {
    return gateway.port();
  }

  /** Returns the shared connection, sufficient for most tests. */
  ManagedChannel channel() {
    ManagedChannel made = channel;
    if (made == null) {
      made = connect(port(), LARGE_WINDOW);
      channel = made;
    }
    return made;
  }

  /**
   * Returns a separate connection, possibly through a proxy on another port.
   *
   * @param window number of bytes that the server may send without demand
   */
  ManagedChannel connect(int atPort, int window) {
    ManagedChannel made =
        NettyChannelBuilder.forAddress("127.0.0.1", atPort)
            .usePlaintext()
            .disableRetry()
            .flowControlWindow(window)
            .maxInboundMessageSize(64 << 20)
            .build();
    channels.add(made);
    return made;
  }

  WatchServiceGrpc.WatchServiceBlockingStub calls() {
    return WatchServiceGrpc.newBlockingStub(channel()).withDeadlineAfter(Subscriber.LIMIT);
  }

  Subscriber subscribe(ListAndWatchRequest request) {
    return Subscriber.open(channel(), request);
  }

  /** Opens a stream that must be refused, and returns the error. */
  ReceivedError refuse(ListAndWatchRequest request) {
    try (Subscriber refused = subscribe(request)) {
      return refused.end();
    }
  }

  HttpResponse<String> http(String path) {
    URI uri = URI.create("http://127.0.0.1:" + gateway.httpPort() + path);
    try {
      return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * Returns the sum of a metric over all its lines with {@code labels}; 0 if there is none.
   *
   * @param labels as text of the line: {@code type="pods"}
   */
  double metric(String name, String... labels) {
    return new MetricsText(http("/metrics").body()).sum(name, labels);
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    gateway.close();
    http.close();
  }
}
