package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.watchgate.error.ApiException;
import io.watchgate.fanout.StartPoint;
import io.watchgate.fanout.StreamOptions;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.time.Duration;

/**
 * Fuzz test: any bytes sent to ListAndWatch are a request with values within bounds, or are
 * refused.
 */
final class WatchRequestFuzzTest {
  @FuzzTest
  void anyRequestIsWithinBoundsOrIsRefused(byte[] request) throws InterruptedException {
    FuzzedRequest.check(request, ListAndWatchRequest.parser(), WatchRequestFuzzTest::check);
  }

  /** Checks in the order of {@link SubscriptionFactory}. */
  private static void check(ListAndWatchRequest request) throws ApiException, InterruptedException {
    UnknownFieldCheck.check(request);
    RequestLimits.checkClientName(request.getClientName());
    StreamOptions settings =
        DeliveryParser.parse(
            request.getDelivery(),
            RequestLimits.minimumVersion(request.getMinimumResourceVersion()));
    ResolvedRequest resolved =
        FuzzedRequest.RESOLVER.resolve(request.getSelection(), request.getProjection());
    StartPoint start = SubscriptionFactory.start(request, resolved);

    assertThat(settings.maxResponseBytes()).isBetween(4 << 10, 64 << 20);
    assertThat(settings.bookmarkInterval()).isBetween(Duration.ofSeconds(1), Duration.ofMinutes(5));
    assertThat(settings.maxBatchDelay()).isBetween(Duration.ZERO, Duration.ofSeconds(10));
    assertThat(DeliveryParser.parse(DeliveryParser.toProto(settings), settings.minimumVersion()))
        .as("asked for as it was answered")
        .isEqualTo(settings);
    assertThat(ProjectionParser.parse(ProjectionParser.toProto(resolved.projection())))
        .isEqualTo(resolved.projection());
    assertThat(resolved.definition().type().resource()).isEqualTo("pods");
    ResolvedRequest again =
        FuzzedRequest.RESOLVER.resolve(
            resolved.applied(request.getSelection()), request.getProjection());
    assertThat(again.tokens().selectionHash()).isEqualTo(resolved.tokens().selectionHash());
    if (request.getStartCase() == ListAndWatchRequest.StartCase.START_NOT_SET) {
      assertThat(start).isEqualTo(new StartPoint.Snapshot());
    }
  }
}
