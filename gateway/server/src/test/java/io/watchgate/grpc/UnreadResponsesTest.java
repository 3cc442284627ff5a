package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Responses of unary calls to a client that does not read them. */
final class UnreadResponsesTest {
  private static final int WINDOW = 64 << 10;
  private static final ListObjectsRequest LIST =
      ListObjectsRequest.newBuilder()
          .setSelection(ServerFixture.CONFIG_MAPS.getSelection())
          .build();

  /** A page is larger than the window of a stream, which its client does not open. */
  @Test
  void unreadResponses_countUntilTheClientIsGone() {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      objects.add(SampleObject.of("default", "o" + i, 5).padding(20_000));
    }
    try (ServerFixture fixture = new ServerFixture(objects.toArray(new SampleObject[0]))) {
      ManagedChannel channel =
          NettyChannelBuilder.forAddress("127.0.0.1", fixture.server.port())
              .usePlaintext()
              .flowControlWindow(WINDOW)
              .build();
      RawStream silent =
          RawStream.begin(channel, RawStream.raw(WatchServiceGrpc.getListObjectsMethod()));
      silent.ask(LIST.toByteArray());
      silent.halfClose();
      await().until(() -> fixture.server.unreadUnaryBytes() > 500_000);
      assertThat(fixture.places.usedSlots()).as("it has a place, too").isOne();

      silent.cancel();

      await().until(() -> fixture.server.unreadUnaryBytes() == 0);
      await().until(() -> fixture.places.usedSlots() == 0);
      assertThat(WatchServiceGrpc.newBlockingStub(channel).listObjects(LIST).getObjectsCount())
          .isPositive();
      await().until(() -> fixture.server.unreadUnaryBytes() == 0);
      channel.shutdownNow();
    }
  }
}
