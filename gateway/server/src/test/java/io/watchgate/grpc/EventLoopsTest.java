package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.cache.TimeSource;
import io.watchgate.encode.ByteSlices;
import io.watchgate.fanout.FanoutMetrics;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class EventLoopsTest {
  private static final int LOOPS = 3;

  private final EventLoops loops =
      new EventLoops(LOOPS, TransportSettings.DEFAULTS, TimeSource.SYSTEM, FanoutMetrics.NONE);
  private final List<StreamLoop> seen = new CopyOnWriteArrayList<>();

  private ServerCall.Listener<RequestParseResult<ListAndWatchRequest>> refusing(
      ServerCall<RequestParseResult<ListAndWatchRequest>, ByteSlices> call, Metadata headers) {
    call.request(1);
    return new ServerCall.Listener<>() {
      @Override
      public void onHalfClose() {
        seen.add(loops.currentLoop());
        call.close(Status.UNAVAILABLE, new Metadata());
      }
    };
  }

  @Test
  void streamsOfAConnection_shareALoop_connectionsAreSpread()
      throws IOException, InterruptedException {
    Server server =
        loops
            .server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                ServerServiceDefinition.builder(WatchServiceGrpc.SERVICE_NAME)
                    .addMethod(WatchMethods.LIST_AND_WATCH, this::refusing)
                    .build())
            .build()
            .start();
    List<ManagedChannel> channels = new ArrayList<>();
    try {
      Set<StreamLoop> owners = new LinkedHashSet<>();
      for (int i = 0; i < LOOPS; i++) {
        ManagedChannel channel =
            NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
        channels.add(channel);
        seen.clear();
        for (int stream = 0; stream < 5; stream++) {
          RawStream.open(channel, ListAndWatchRequest.getDefaultInstance()).end();
        }
        assertThat(seen).hasSize(5);
        assertThat(Set.copyOf(seen)).hasSize(1);
        owners.addAll(seen);
      }
      assertThat(owners).hasSize(LOOPS);
    } finally {
      channels.forEach(ManagedChannel::shutdownNow);
      server.shutdownNow().awaitTermination();
      loops.close();
    }
  }

  @Test
  void current_outsideOfALoop_throws() {
    assertThatThrownBy(loops::currentLoop)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(Thread.currentThread().getName());
    loops.close();
  }
}
