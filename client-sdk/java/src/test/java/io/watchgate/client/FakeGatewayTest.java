package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.FromNow;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchServiceGrpc;
import io.watchgate.testing.FakeGateway;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers of the fake gateway to each start of a stream, which are those of a gateway. */
@Timeout(300)
final class FakeGatewayTest {
  private final FakeGateway gateway = FakeGateway.start();
  private final ManagedChannel channel = gateway.channel().build();

  @AfterEach
  void close() {
    channel.shutdownNow();
    gateway.close();
  }

  private Iterator<ListAndWatchResponse> open(ListAndWatchRequest.Builder request) {
    Iterator<ListAndWatchResponse> responses =
        WatchServiceGrpc.newBlockingStub(channel).listAndWatch(request.build());
    assertThat(responses.next().hasOpened()).isTrue();
    return responses;
  }

  private static ListAndWatchRequest.Builder resuming(ByteString token) {
    return ListAndWatchRequest.newBuilder().setResumeToken(token);
  }

  private ByteString token() {
    Iterator<ListAndWatchResponse> responses = open(ListAndWatchRequest.newBuilder());
    ListAndWatchResponse response = responses.next();
    while (!response.hasSynced()) {
      response = responses.next();
    }
    return response.getResumeToken();
  }

  private static SnapshotReason reason(Iterator<ListAndWatchResponse> responses) {
    return responses.next().getSnapshotStarted().getReason();
  }

  @Test
  void fromNowOrVersion_hasNoSnapshot() {
    String version = gateway.put("", "a", "1");
    Iterator<ListAndWatchResponse> now =
        open(ListAndWatchRequest.newBuilder().setFromNow(FromNow.getDefaultInstance()));
    Iterator<ListAndWatchResponse> later =
        open(ListAndWatchRequest.newBuilder().setResourceVersion(version));
    gateway.put("", "b", "1");
    for (Iterator<ListAndWatchResponse> responses : List.of(now, later)) {
      assertThat(responses.next().hasResumed()).isTrue();
      assertThat(responses.next().getEvents(0).getKey().getName()).isEqualTo("b");
    }
  }

  @Test
  void lostHistory_isToldToOpenStreams_andToOlderTokens() {
    gateway.put("", "a", "1");
    ByteString token = token();
    Iterator<ListAndWatchResponse> open = open(resuming(token));
    assertThat(open.next().hasResumed()).isTrue();
    gateway.loseHistory();

    assertThat(reason(open)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
    ByteString newer = token();
    gateway.expireTokens();
    assertThat(reason(open(resuming(token))))
        .isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
    assertThat(reason(open(resuming(newer))))
        .isEqualTo(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED);
  }

  @Test
  void expiredPosition_failsIfRequested() {
    ByteString token = token();
    gateway.expireTokens();
    Iterator<ListAndWatchResponse> responses =
        open(
            resuming(token)
                .setDelivery(
                    Delivery.newBuilder()
                        .setExpiredPositionPolicy(
                            ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_FAIL)));

    assertThatThrownBy(responses::next)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.OUT_OF_RANGE);
              assertThat(WatchError.of(e).reason()).isEqualTo("POSITION_EXPIRED");
            });
    assertThat(gateway.streamCount()).isEqualTo(1); // that of the token
  }
}
