package io.watchgate.client;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.watchgate.client.WatchUpdate.Changes;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ResourceType;
import io.watchgate.proto.v1.Selection;
import io.watchgate.proto.v1.WatchEvent;
import java.io.IOException;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Client and scripted gateway in one process, with clock and random source controlled by the test.
 */
abstract class WatchCallFixture {
  static final ListAndWatchRequest PODS =
      ListAndWatchRequest.newBuilder()
          .setSelection(
              Selection.newBuilder().setResourceType(ResourceType.newBuilder().setResource("pods")))
          .build();

  final ScriptedGateway gateway = new ScriptedGateway();
  final ManualTimers timers = new ManualTimers();
  final RecordingListener listener = new RecordingListener();
  private String name;
  private Server server;
  WatchClient client;

  @BeforeEach
  void connect() throws IOException {
    name = InProcessServerBuilder.generateName();
    server = InProcessServerBuilder.forName(name).addService(gateway).build().start();
    client =
        WatchClient.to("in-process", 1)
            .channel(channel())
            .timers(timers)
            .random(new Longest())
            .maxGroupBytes(1 << 20)
            .build();
  }

  ManagedChannel channel() {
    return InProcessChannelBuilder.forName(name).build();
  }

  @AfterEach
  void disconnect() {
    client.close();
    server.shutdownNow();
  }

  static List<String> names(List<WatchEvent> events) {
    return events.stream().map(event -> event.getKey().getName()).toList();
  }

  void awaitChanges() {
    listener.until(Changes.class);
  }

  /** Random source that always returns the longest wait, so that tests can expect exact waits. */
  private static final class Longest implements RandomGenerator {
    @Override
    public long nextLong() {
      return Long.MAX_VALUE;
    }

    @Override
    public long nextLong(long bound) {
      return bound - 1;
    }
  }
}
