package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.embedded.EmbeddedChannel;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandlerBuilder;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2FrameAdapter;
import io.watchgate.cache.SampleObject;
import io.watchgate.grpc.lane.LaneFlusher;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests of the counts of connections and streams that have no lane. */
final class ConnectionsWithoutLaneTest {
  private final AcceptedConnections connections =
      new AcceptedConnections(TransportSettings.DEFAULTS, InboundBytesLimit::new, LaneFlusher::new);

  /** Begins a connection, after {@code prepare} has changed its channel. */
  private void begin(Consumer<EmbeddedChannel> prepare, ChannelHandler... others) {
    ClientConnection connection =
        new ClientConnection(connections, TransportSettings.DEFAULTS, System::nanoTime, 0);
    List<ChannelHandler> handlers = new ArrayList<>(List.of(others));
    handlers.addFirst(connection);
    EmbeddedChannel channel = new EmbeddedChannel(handlers.toArray(ChannelHandler[]::new));
    prepare.accept(channel);
    connection.begin();
    var _ = channel.close();
  }

  @Test
  void responsesOfStreamsWithoutLane_areCounted() {
    try (ServerFixture fixture = ServerFixture.withoutLane()) {
      RawStream stream = RawStream.open(fixture.connect(), CONFIG_MAPS);
      await().until(stream::isSynced);

      fixture.cluster.put(SampleObject.of("ns", "a", 101));

      await().until(() -> stream.responses().getLast().getResourceVersion().equals("101"));
      await()
          .untilAsserted(
              () ->
                  assertThat(fixture.server.laneCounts())
                      .isEqualTo(new LaneFlusher.Counts(0, 0, stream.responses().size())));
    }
  }

  @Test
  void connectionsWithoutHttp2_areCountedIfLaneIsWanted() {
    begin(_ -> {});
    assertThat(connections.withoutLane()).isZero();

    connections.useLane();
    begin(_ -> {});

    assertThat(connections.withoutLane()).isOne();
  }

  @Test
  void connectionThatLosesItsHandler_isCountedUnlessItIsClosed() {
    connections.useLane();
    begin(channel -> channel.pipeline().remove(Http2ConnectionHandler.class), http2());
    assertThat(connections.withoutLane()).isOne();

    begin(
        channel -> {
          var _ = channel.close();
        },
        http2());

    assertThat(connections.withoutLane()).isOne();
  }

  private static Http2ConnectionHandler http2() {
    return new Http2ConnectionHandlerBuilder()
        .connection(new DefaultHttp2Connection(true))
        .frameListener(new Http2FrameAdapter())
        .build();
  }
}
