package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of errors as a client gets them: the table of watch.proto. */
final class GrpcErrorsTest {

  private static ErrorReason reason(String name) {
    return ErrorReason.valueOf("ERROR_REASON_" + name);
  }

  private static com.google.rpc.Status details(StatusRuntimeException e) {
    return Objects.requireNonNull(StatusProto.fromThrowable(e));
  }

  private static ErrorInfo info(StatusRuntimeException e) throws InvalidProtocolBufferException {
    return details(e).getDetails(0).unpack(ErrorInfo.class);
  }

  /** Returns name, code and action of each reason, from its comment in watch.proto. */
  static List<Arguments> contractReasons() throws IOException {
    String contract =
        Files.readString(Path.of("../../proto/src/main/protobuf/watchgate/v1/watch.proto"));
    return Pattern.compile(
            "^  // ([A-Z_]+), ([A-Z]+)\\. .*\n(?:  //.*\n)*  ERROR_REASON_(\\w+) = ",
            Pattern.MULTILINE)
        .matcher(contract)
        .results()
        .map(entry -> Arguments.of(entry.group(3), entry.group(1), entry.group(2)))
        .toList();
  }

  @Test
  void contract_commentsEachReason() throws IOException {
    assertThat(contractReasons())
        .extracting(reason -> reason(String.valueOf(reason.get()[0])))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(ErrorReason.values())
                .filter(reason -> reason != ErrorReason.UNRECOGNIZED)
                .toList());
  }

  /** Returns the reasons of the contract that a gateway gives, without that of its own failure. */
  static List<Arguments> refusals() throws IOException {
    return contractReasons().stream()
        .filter(reason -> !"UNSPECIFIED".equals(reason.get()[0]))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void aReasonHasItsStatusAndItsAction(String name, Status.Code code, String action)
      throws InvalidProtocolBufferException {
    StatusRuntimeException e = GrpcErrors.exception(error(reason(name), "", "what to do"));

    assertThat(e.getStatus().getCode()).isEqualTo(code);
    assertThat(e.getStatus().getDescription()).isEqualTo("what to do");
    assertThat(info(e))
        .isEqualTo(
            ErrorInfo.newBuilder()
                .setReason(name)
                .setDomain("watchgate.io")
                .putMetadata("action", action)
                .build());
    Metadata trailers = Objects.requireNonNull(e.getTrailers());
    assertThat(trailers.get(GrpcErrors.REASON)).isEqualTo(name);
    assertThat(trailers.get(GrpcErrors.ACTION)).isEqualTo(action);
  }

  private static ApiError error(ErrorReason reason, String field, String message) {
    return new ApiError(reason, message, field, 0, Duration.ZERO, null, null);
  }

  static Stream<ErrorReason> reasons() {
    return Stream.of(ErrorReason.values())
        .filter(
            reason ->
                reason != ErrorReason.ERROR_REASON_UNSPECIFIED
                    && reason != ErrorReason.UNRECOGNIZED);
  }

  @ParameterizedTest
  @MethodSource("reasons")
  void everyReason_isMapped(ErrorReason reason) {
    assertThat(GrpcErrors.exception(error(reason, "", "x")).getStatus().isOk()).isFalse();
  }

  @Test
  void details_nameFieldColumnAndRetryDelay() throws InvalidProtocolBufferException {
    StatusRuntimeException e =
        GrpcErrors.exception(
            new ApiError(
                reason("SELECTOR_INVALID"),
                "a comma is missing",
                "selection.label_selector",
                7,
                Duration.ofMillis(1_500),
                null,
                null));

    List<Any> details = details(e).getDetailsList();
    BadRequest.FieldViolation violation =
        details.get(1).unpack(BadRequest.class).getFieldViolations(0);
    assertThat(violation.getField()).isEqualTo("selection.label_selector");
    assertThat(violation.getDescription()).isEqualTo("column 7: a comma is missing");
    assertThat(violation.getReason()).isEqualTo("SELECTOR_INVALID");
    RetryInfo retry = details.get(2).unpack(RetryInfo.class);
    assertThat(retry.getRetryDelay().getSeconds()).isEqualTo(1);
    assertThat(retry.getRetryDelay().getNanos()).isEqualTo(500_000_000);
  }

  @ParameterizedTest
  @CsvSource({"a, 100000", "é, 50000", "\uD834\uDD1E, 30000"})
  void longMessage_isCutBetweenCharactersAndFitsTrailers(String character, int times) {
    ApiError refusal = error(reason("VALUE_INVALID"), "client_name", character.repeat(times));

    com.google.rpc.Status status = details(GrpcErrors.exception(refusal));

    assertThat(status.getSerializedSize()).isLessThan(4 << 10);
    assertThat(status.getMessage()).endsWith("…").doesNotContain("\uFFFD");
  }

  @Test
  void internalFailure_isAsInContract_andRevealsNoInternals() throws IOException {
    StatusRuntimeException e = GrpcErrors.internal();
    assertThat(contractReasons())
        .extracting(reason -> List.of(reason.get()))
        .contains(List.of("UNSPECIFIED", e.getStatus().getCode().name(), "RESUME"));

    assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INTERNAL);
    assertThat(info(e).getReason()).isEqualTo("UNSPECIFIED");
    assertThat(info(e).getMetadataMap()).containsEntry("action", "RESUME");
  }
}
