package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ListObjectsRequest;

/**
 * Fuzz test: any bytes sent to ListObjects are a request with values within bounds, or are refused.
 */
final class ListRequestFuzzTest {
  @FuzzTest
  void anyRequestIsWithinBoundsOrIsRefused(byte[] request) throws InterruptedException {
    FuzzedRequest.check(request, ListObjectsRequest.parser(), ListRequestFuzzTest::check);
  }

  /** Checks in the order of {@link ListObjectsHandler}. */
  private static void check(ListObjectsRequest request) throws ApiException, InterruptedException {
    ListObjectsHandler.checkValues(request);
    var _ = RequestLimits.minimumVersion(request.getMinimumResourceVersion());
    ResolvedRequest resolved =
        FuzzedRequest.RESOLVER.resolve(request.getSelection(), request.getProjection());
    PageToken token = ListObjectsHandler.token(request, resolved);

    assertThat(token == null).isEqualTo(request.getPageToken().isEmpty());
    assertThat(RequestLimits.responseBytes(request.getMaxResponseBytes()))
        .isBetween(4 << 10, 64 << 20);
    assertThat(request.getPageSize()).isNotNegative();
  }
}
