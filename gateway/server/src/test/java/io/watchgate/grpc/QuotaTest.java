package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import io.grpc.protobuf.StatusProto;
import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.cache.HeapBudget;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListObjectsRequest;
import io.watchgate.proto.v1.WatchServiceGrpc;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests that a refusal names the quota that was hit, and the time of a retry. */
final class QuotaTest {
  private static final ListAndWatchRequest OTHERS =
      CONFIG_MAPS.toBuilder()
          .setSelection(CONFIG_MAPS.getSelection().toBuilder().setLabelSelector("app=web"))
          .build();

  static QuotaFailure.Violation violation(RawStream refused) throws InvalidProtocolBufferException {
    refused.assertEnds("RESOURCE_EXHAUSTED QUOTA RESUME");
    List<Any> details =
        Objects.requireNonNull(
                StatusProto.fromStatusAndTrailers(refused.end().status(), refused.end().trailers()))
            .getDetailsList();
    assertThat(details).hasSize(3);
    assertThat(details.get(0).unpack(ErrorInfo.class).getReason()).isEqualTo("QUOTA");
    assertThat(details.get(2).unpack(RetryInfo.class).getRetryDelay().getSeconds()).isPositive();
    QuotaFailure failure = details.get(1).unpack(QuotaFailure.class);
    assertThat(failure.getViolationsCount()).isEqualTo(1);
    return failure.getViolations(0);
  }

  /** Opens one stream more than the fixture allows. */
  private static QuotaFailure.Violation oneTooMany(ServerFixture fixture)
      throws InvalidProtocolBufferException {
    try (fixture) {
      RawStream open = RawStream.open(fixture.connect(), CONFIG_MAPS);
      await().until(open::isSynced);
      return violation(RawStream.open(fixture.connect(), OTHERS));
    }
  }

  @Test
  void totalStreamLimit_isNamed() throws InvalidProtocolBufferException {
    QuotaFailure.Violation violation = oneTooMany(new ServerFixture(new GatewayStreamLimits(1, 9)));

    assertThat(violation.getSubject()).isEqualTo("streams");
    assertThat(violation.getDescription()).isEqualTo("1 open streams, of at most 1.");
  }

  @Test
  void fullHeap_refusesStreamsAndListsWithMemory() {
    try (ServerFixture fixture = new ServerFixture(GatewayStreamLimits.DEFAULTS)) {
      HeapBudget heap = fixture.context.types().registry().heap();
      heap.register("a test", heap.limit(), heap::limit);
      heap.updateUsage();

      RawStream refused = RawStream.open(fixture.connect(), CONFIG_MAPS);
      refused.assertEnds("RESOURCE_EXHAUSTED MEMORY RESUME");
      assertThatThrownBy(
              () ->
                  WatchServiceGrpc.newBlockingStub(fixture.connect())
                      .listObjects(
                          ListObjectsRequest.newBuilder()
                              .setSelection(CONFIG_MAPS.getSelection())
                              .build()))
          .hasMessageStartingWith("RESOURCE_EXHAUSTED: this gateway's heap is full");
    }
  }

  @Test
  void clientStreamLimit_isNamedWithoutTheClient() throws InvalidProtocolBufferException {
    QuotaFailure.Violation violation = oneTooMany(new ServerFixture(new GatewayStreamLimits(9, 1)));

    assertThat(violation.getSubject()).isEqualTo("streams:client");
    assertThat(violation.getDescription()).isEqualTo("1 open streams of one client, of at most 1.");
  }

  @Test
  void feedLimit_isNamed() throws InvalidProtocolBufferException {
    FanoutSettings one =
        FanoutSettings.DEFAULTS.with(new FanoutSettings.Limits(1, 256L << 20, 16, 4L << 30));

    QuotaFailure.Violation violation =
        oneTooMany(new ServerFixture(GatewayStreamLimits.DEFAULTS, one));

    assertThat(violation.getSubject()).isEqualTo("feeds");
    assertThat(violation.getDescription())
        .isEqualTo("1 different selections and projections, of at most 1.");
  }
}
