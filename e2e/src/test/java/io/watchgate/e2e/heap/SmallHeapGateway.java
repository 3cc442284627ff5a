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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code watchgate serve} as a process of its own, with a heap of its own. */
final class SmallHeapGateway implements AutoCloseable {
  private static final Duration ANSWER = Duration.ofSeconds(20);

  /** With more, a client that reads seldom is told only much later that its stream has ended. */
  private static final int SMALL_WINDOW = 64 << 10;

  private static final Pattern SERVING =
      Pattern.compile("serving gRPC on 127.0.0.1:(\\d+) .*metrics on 127.0.0.1:(\\d+)");

  private final Command command;
  private final int port;
  private final int httpPort;
  private final List<ManagedChannel> channels = new ArrayList<>();

  private SmallHeapGateway(Command command, int port, int httpPort) {
    this.command = command;
    this.port = port;
    this.httpPort = httpPort;
  }

  /**
   * Returns once it serves.
   *
   * @param collector option for Java
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
    Matcher ports = SERVING.matcher(command.awaitErr("serving gRPC on"));
    assertThat(ports.find()).isTrue();
    return new SmallHeapGateway(
        command, Integer.parseInt(ports.group(1)), Integer.parseInt(ports.group(2)));
  }

  /** Opens another connection. */
  ManagedChannel connect() {
    return add(NettyChannelBuilder.forAddress("127.0.0.1", port));
  }

  /** Opens a connection with a small window, for a client that reads seldom. */
  ManagedChannel connectSlow() {
    return add(NettyChannelBuilder.forAddress("127.0.0.1", port).flowControlWindow(SMALL_WINDOW));
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
      URI page = URI.create("http://127.0.0.1:" + httpPort + "/metrics");
      return new MetricsText(
          http.send(
                  HttpRequest.newBuilder(page).timeout(ANSWER).build(),
                  HttpResponse.BodyHandlers.ofString())
              .body());
    }
  }

  /** What it has logged. */
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
