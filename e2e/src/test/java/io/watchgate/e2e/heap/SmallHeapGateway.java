package io.watchgate.e2e.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.faults.Command;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** {@code watchgate serve} in a separate process with a given heap. */
final class SmallHeapGateway implements AutoCloseable {
  private static final Duration ANSWER = Duration.ofSeconds(20);

  /**
   * Flow-control window; with a larger one, a client that reads rarely is notified of its stream's
   * end much later.
   */
  private static final int SMALL_WINDOW = 64 << 10;

  private final Command command;
  private final Command.Ports ports;
  private final List<ManagedChannel> channels = new ArrayList<>();

  private SmallHeapGateway(Command command, Command.Ports ports) {
    this.command = command;
    this.ports = ports;
  }

  /**
   * Starts the gateway. Returns once it serves.
   *
   * @param collector JVM option
   */
  static SmallHeapGateway start(int heapMib, String collector, Path kubeconfig) {
    Command command =
        Command.start(
            heapMib,
            List.of(collector),
            "serve",
            "--kubeconfig",
            kubeconfig.toString(),
            "--listen",
            "127.0.0.1:0",
            "--http-listen",
            "127.0.0.1:0",
            "--cluster-name",
            "small",
            "--unused-after",
            "0");
    return new SmallHeapGateway(command, command.awaitServing());
  }

  /** Opens another connection. */
  ManagedChannel connect() {
    return add(NettyChannelBuilder.forAddress("127.0.0.1", ports.grpc()));
  }

  /** Opens a connection with a small window, for a client that reads rarely. */
  ManagedChannel connectSlow() {
    return add(
        NettyChannelBuilder.forAddress("127.0.0.1", ports.grpc()).flowControlWindow(SMALL_WINDOW));
  }

  private ManagedChannel add(NettyChannelBuilder builder) {
    ManagedChannel channel = builder.usePlaintext().build();
    channels.add(channel);
    return channel;
  }

  Channel channel() {
    return channels.isEmpty() ? connect() : channels.getFirst();
  }

  MetricsText metrics() throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      URI page = URI.create("http://127.0.0.1:" + ports.http() + "/metrics");
      return new MetricsText(
          http.send(
                  HttpRequest.newBuilder(page).timeout(ANSWER).build(),
                  HttpResponse.BodyHandlers.ofString())
              .body());
    }
  }

  /** Returns the log lines. */
  List<String> log() {
    return command.err();
  }

  void assertNeverOutOfMemory() {
    assertThat(Stream.concat(command.err().stream(), command.out().stream()))
        .as("log")
        .noneMatch(line -> line.contains("OutOfMemoryError"));
    assertThat(command.process().isAlive()).as("it is alive, having said %s", log()).isTrue();
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    command.close();
  }
}
