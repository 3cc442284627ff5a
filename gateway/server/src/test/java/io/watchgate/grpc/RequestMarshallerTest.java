package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListAndWatchRequest;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestMarshallerTest {
  private static final RequestMarshaller<ListAndWatchRequest> MARSHALLER =
      new RequestMarshaller<>(ListAndWatchRequest.parser());

  /** Returns a request that encodes to {@code bytes} bytes. */
  private static ListAndWatchRequest request(int bytes) {
    int frame =
        ListAndWatchRequest.newBuilder().addFeatures("x".repeat(40_000)).build().getSerializedSize()
            - 40_000;
    ListAndWatchRequest request =
        ListAndWatchRequest.newBuilder().addFeatures("x".repeat(bytes - frame)).build();
    assertThat(request.getSerializedSize()).isEqualTo(bytes);
    return request;
  }

  private static ApiError refusal(InputStream stream) {
    return ((RequestParseResult.Unreadable<ListAndWatchRequest>) MARSHALLER.parse(stream))
        .refusal();
  }

  @Test
  void request_of64KiB_isParsed() {
    ListAndWatchRequest request = request(RequestLimits.MAX_REQUEST_BYTES);

    assertThat(MARSHALLER.parse(new ByteArrayInputStream(request.toByteArray())))
        .isEqualTo(new RequestParseResult.Message<>(request));
  }

  @ParameterizedTest
  @ValueSource(ints = {RequestLimits.MAX_REQUEST_BYTES + 1, 1 << 20})
  void largerRequest_isRefusedWithoutReadingIt(int bytes) throws IOException {
    InputStream stream = new ByteArrayInputStream(request(bytes).toByteArray());

    ApiError refusal = refusal(stream);

    assertThat(bytes - stream.available()).isEqualTo(RequestLimits.MAX_REQUEST_BYTES + 1);
    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_TOO_COMPLEX);
    assertThat(refusal.message()).contains("at most 65536 bytes");
  }

  @Test
  void invalidMessage_isRefused() {
    ApiError refusal = refusal(new ByteArrayInputStream(new byte[] {0x0A, 0x7F, 1}));

    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_VALUE_INVALID);
    assertThat(refusal.message()).contains("watch.proto");
  }

  @Test
  void invalidCompression_isRefused() {
    InputStream broken =
        new FilterInputStream(InputStream.nullInputStream()) {
          @Override
          public int read(byte[] into, int offset, int length) throws IOException {
            throw new IOException("not in GZIP format");
          }
        };

    assertThat(refusal(broken).message()).contains("decompressed");
  }

  @Test
  void request_roundTrip() {
    RequestParseResult<ListAndWatchRequest> request =
        new RequestParseResult.Message<>(request(50_000));

    assertThat(MARSHALLER.parse(MARSHALLER.stream(request))).isEqualTo(request);
    assertThatThrownBy(
            () -> MARSHALLER.stream(new RequestParseResult.Unreadable<>(refusal(broken()))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static InputStream broken() {
    return new ByteArrayInputStream(new byte[] {0x0A, 0x7F, 1});
  }
}
