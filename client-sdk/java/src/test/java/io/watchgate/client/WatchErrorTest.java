package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchErrorTest {
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  static byte[] details(Duration retryAfter) {
    return com.google.rpc.Status.newBuilder()
        .setCode(Status.Code.UNAVAILABLE.value())
        .addDetails(
            Any.pack(
                RetryInfo.newBuilder()
                    .setRetryDelay(
                        com.google.protobuf.Duration.newBuilder()
                            .setSeconds(retryAfter.toSeconds()))
                    .build()))
        .build()
        .toByteArray();
  }

  private static byte[] info(String domain, String reason, String action) {
    return com.google.rpc.Status.newBuilder()
        .addDetails(
            Any.pack(
                ErrorInfo.newBuilder()
                    .setDomain(domain)
                    .setReason(reason)
                    .putMetadata("action", action)
                    .build()))
        .build()
        .toByteArray();
  }

  private static Metadata trailers(String reason, String action) {
    Metadata trailers = new Metadata();
    trailers.put(Metadata.Key.of("watchgate-reason", Metadata.ASCII_STRING_MARSHALLER), reason);
    trailers.put(Metadata.Key.of("watchgate-action", Metadata.ASCII_STRING_MARSHALLER), action);
    return trailers;
  }

  @Test
  void readsReasonAndActionFromErrorInfo() {
    Metadata trailers = new Metadata();
    trailers.put(DETAILS, info("watchgate.io", "POSITION_EXPIRED", "RESTART"));
    WatchError error = WatchError.of(Status.OUT_OF_RANGE.withDescription("too old"), trailers);

    assertThat(error)
        .isEqualTo(
            new WatchError(
                Status.Code.OUT_OF_RANGE,
                "POSITION_EXPIRED",
                ErrorAction.RESTART,
                "too old",
                Duration.ZERO));
    assertThat(error.isFromGateway()).isTrue();
  }

  @Test
  void missingDetails_readsTrailers() {
    WatchError error = WatchError.of(Status.OUT_OF_RANGE, trailers("CHANGES_LOST", "RESTART"));

    assertThat(error.reason()).isEqualTo("CHANGES_LOST");
    assertThat(error.action()).isEqualTo(ErrorAction.RESTART);
  }

  @Test
  void actionWinsOverCode() {
    assertThat(WatchError.of(Status.UNAVAILABLE, trailers("X", "STOP")).action())
        .isEqualTo(ErrorAction.STOP);
    assertThat(WatchError.of(Status.UNAUTHENTICATED, trailers("X", "RESUME")).action())
        .isEqualTo(ErrorAction.RESUME);
  }

  @Test
  void unknownAction_isIgnored() {
    assertThat(WatchError.of(Status.UNAVAILABLE, trailers("X", "MEDITATE")).action())
        .isEqualTo(ErrorAction.RESUME);
    assertThat(WatchError.of(Status.NOT_FOUND, trailers("X", "MEDITATE")).action())
        .isEqualTo(ErrorAction.STOP);
  }

  @Test
  void errorInfoOfOtherDomain_isIgnored() {
    Metadata trailers = new Metadata();
    trailers.put(DETAILS, info("proxy.example", "POSITION_EXPIRED", "RESTART"));
    WatchError error = WatchError.of(Status.UNAVAILABLE, trailers);

    assertThat(error.isFromGateway()).isFalse();
    assertThat(error.action()).isEqualTo(ErrorAction.RESUME);
  }

  @Test
  void unreadableDetails_areIgnored() {
    Metadata trailers = trailers("DRAINING", "RESUME");
    trailers.put(DETAILS, "no protobuf".getBytes(StandardCharsets.UTF_8));

    assertThat(WatchError.of(Status.UNAVAILABLE, trailers).reason()).isEqualTo("DRAINING");
  }

  @Test
  void unreadableDetail_isSkippedAlone() {
    ByteString noMessage = ByteString.copyFromUtf8("no protobuf");
    com.google.rpc.Status.Builder status = com.google.rpc.Status.newBuilder();
    for (String name : List.of("ErrorInfo", "RetryInfo", "BadRequest")) {
      status.addDetails(
          Any.newBuilder()
              .setTypeUrl("type.googleapis.com/google.rpc." + name)
              .setValue(noMessage));
    }
    Metadata trailers = trailers("DRAINING", "RESUME");
    trailers.put(
        DETAILS,
        status
            .addDetails(Any.pack(RetryInfo.newBuilder().setRetryDelay(seconds(7)).build()))
            .build()
            .toByteArray());

    WatchError error = WatchError.of(Status.UNAVAILABLE, trailers);

    assertThat(error.reason()).isEqualTo("DRAINING");
    assertThat(error.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    assertThat(error.violation()).isEmpty();
  }

  @Test
  void severalViolations_firstDescribedIsNamed() {
    BadRequest request =
        BadRequest.newBuilder()
            .addFieldViolations(BadRequest.FieldViolation.newBuilder().setField("a"))
            .addFieldViolations(
                BadRequest.FieldViolation.newBuilder().setField("b").setDescription("é"))
            .addFieldViolations(
                BadRequest.FieldViolation.newBuilder().setField("c").setDescription("z"))
            .build();
    Metadata trailers = new Metadata();
    trailers.put(
        DETAILS,
        com.google.rpc.Status.newBuilder().addDetails(Any.pack(request)).build().toByteArray());

    assertThat(WatchError.of(Status.INVALID_ARGUMENT, trailers).violation())
        .contains(new WatchError.FieldViolation("b", 0, "é"));
  }

  private static com.google.protobuf.Duration seconds(long seconds) {
    return com.google.protobuf.Duration.newBuilder().setSeconds(seconds).build();
  }

  @Test
  void detailsWithOtherCode_areRead() {
    Metadata trailers = new Metadata();
    trailers.put(DETAILS, details(Duration.ofSeconds(3)));

    assertThat(WatchError.of(Status.UNKNOWN, trailers).retryAfter())
        .isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void quotaFailure_isOnlyPartOfMessage() {
    Metadata trailers = trailers("QUOTA", "RESUME");
    trailers.put(
        DETAILS,
        com.google.rpc.Status.newBuilder()
            .addDetails(Any.pack(QuotaFailure.getDefaultInstance()))
            .addDetails(
                Any.pack(
                    RetryInfo.newBuilder()
                        .setRetryDelay(com.google.protobuf.Duration.newBuilder().setSeconds(5))
                        .build()))
            .build()
            .toByteArray());

    WatchError error = WatchError.of(Status.RESOURCE_EXHAUSTED, trailers);

    assertThat(error.action()).isEqualTo(ErrorAction.RESUME);
    assertThat(error.retryAfter()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void hugeDelay_isLimitedToADay() {
    Metadata trailers = new Metadata();
    trailers.put(DETAILS, details(Duration.ofSeconds(Long.MAX_VALUE)));

    assertThat(WatchError.of(Status.UNAVAILABLE, trailers).retryAfter())
        .isEqualTo(Duration.ofDays(1));
  }

  @Test
  void ioException_namesItsCause() {
    Status status =
        Status.UNAVAILABLE
            .withDescription("io exception\nChannel Pipeline: [SslHandler#0]")
            .withCause(new IOException("Connection refused"));

    assertThat(WatchError.of(status, new Metadata()).message()).isEqualTo("Connection refused");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          finishConnect(..) failed with error(-111): Connection refused: /10.0.0.1:1 | Connection refused: /10.0.0.1:1
          not an SSL/TLS record: 0000120400000000000003 | not an SSL/TLS record
          """)
  void leavesOutWhatTheTransportAddsForItself(String said, String message) {
    Status status =
        Status.UNAVAILABLE.withDescription("io exception").withCause(new IOException(said));

    assertThat(WatchError.of(status, new Metadata()).message()).isEqualTo(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          selection.label_selector | column 3: found '=' | 3 | selection.label_selector, column 3: found '='
          selection.label_selector | column x: found '=' | 0 | selection.label_selector: column x: found '='
          selection.namespaces | no namespaces here | 0 | selection.namespaces: no namespaces here
          selection.namespaces | '' | | from the status
          """)
  void namesTheFieldAndTheColumn(
      String field, String description, @Nullable Integer column, String message) {
    BadRequest.FieldViolation violation =
        BadRequest.FieldViolation.newBuilder().setField(field).setDescription(description).build();
    Metadata trailers = new Metadata();
    trailers.put(
        DETAILS,
        com.google.rpc.Status.newBuilder()
            .addDetails(Any.pack(BadRequest.newBuilder().addFieldViolations(violation).build()))
            .build()
            .toByteArray());
    Status status = Status.INVALID_ARGUMENT.withDescription("from the status");

    WatchError error = WatchError.of(status.asRuntimeException(trailers));

    assertThat(error.message()).isEqualTo(message);
    assertThat(error.violation().map(WatchError.FieldViolation::column).orElse(null))
        .isEqualTo(column);
    assertThat(error.violation().map(WatchError.FieldViolation::field).orElse(field))
        .isEqualTo(field);
  }

  @Test
  void exceptionWithoutTrailers_isRead() {
    WatchError error = WatchError.of(Status.UNAVAILABLE.asRuntimeException());

    assertThat(error.action()).isEqualTo(ErrorAction.RESUME);
    assertThat(error.violation()).isEmpty();
  }
}
