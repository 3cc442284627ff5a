package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.watchgate.cache.SampleObject;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Tests that responses are counted until they are read or their calls end. */
final class PendingResponseBytesTest {
  private static final int WINDOW = 64 << 10;
  private static final ListObjectsRequest LIST =
      ListObjectsRequest.newBuilder()
          .setSelection(ServerFixture.CONFIG_MAPS.getSelection())
          .build();

  @Test
  void aboveLimit_responseIsRefusedUntilAnotherIsRead() throws ApiException {
    PendingResponseBytes answers = new PendingResponseBytes(100);
    PendingResponseBytes.Share first = answers.share("client 1");
    first.charge(70);
    PendingResponseBytes.Share second = answers.share("client 2");
    assertThatThrownBy(() -> second.charge(40))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA);
              assertThat(e.error().retryAfter()).isPositive();
            });
    first.release();
    first.release();
    second.charge(40);
    assertThat(answers.bytes()).isEqualTo(40);
    second.release();
    assertThat(answers.bytes()).isZero();
  }

  @Test
  void clientThatReadsNothing_leavesRoomForOthers() throws ApiException {
    PendingResponseBytes answers = new PendingResponseBytes(100);
    PendingResponseBytes.Share first = answers.share("silent");
    first.charge(40);
    answers.share("silent").charge(35);
    assertThatThrownBy(() -> answers.share("silent").charge(1)).isInstanceOf(ApiException.class);
    answers.share("other").charge(25);
    first.release();
    answers.share("silent").charge(40);
    assertThat(answers.bytes()).isEqualTo(100);
  }

  @Test
  void build_waitsForRoom() throws Exception {
    PendingResponseBytes answers = new PendingResponseBytes(100 << 10);
    PendingResponseBytes.Share first = answers.share("client 3");
    first.beginBuilding(70 << 10);
    PendingResponseBytes.Share second = answers.share("client 4");
    FutureTask<Boolean> making =
        new FutureTask<>(
            () -> {
              second.beginBuilding(1 << 30); // as much as the limit
              return true;
            });
    Thread thread = Thread.startVirtualThread(making);
    await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);

    first.endBuilding();

    assertThat(making.get()).isTrue();
    second.endBuilding();
    second.endBuilding();
    answers.share("client 5").beginBuilding(100 << 10);
  }

  @Test
  void responseAboveLimit_isAllowedAlone() throws ApiException {
    PendingResponseBytes answers = new PendingResponseBytes(100);
    answers.share("client 6").charge(1_000);

    assertThatThrownBy(() -> answers.share("client 7").charge(1)).isInstanceOf(ApiException.class);
  }

  @Test
  void clientThatIsGone_isNotCounted() throws ApiException {
    PendingResponseBytes answers = new PendingResponseBytes(100);
    PendingResponseBytes.Share gone = answers.share("client 8");
    gone.release();
    gone.charge(50);

    assertThat(answers.bytes()).isZero();
  }

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
      await().until(() -> fixture.server.unreadBytes() > 500_000);
      assertThat(fixture.places.usedSlots()).as("it has a place, too").isOne();

      silent.cancel();

      await().until(() -> fixture.server.unreadBytes() == 0);
      await().until(() -> fixture.places.usedSlots() == 0);
      assertThat(WatchServiceGrpc.newBlockingStub(channel).listObjects(LIST).getObjectsCount())
          .isPositive();
      await().until(() -> fixture.server.unreadBytes() == 0);
      channel.shutdownNow();
    }
  }
}
