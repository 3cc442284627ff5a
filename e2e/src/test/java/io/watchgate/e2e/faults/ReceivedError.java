package io.watchgate.e2e.faults;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Error as received by a client.
 *
 * @param reason of the ErrorInfo; empty if there is none: then it is not the gateway's own error
 * @param action requested reaction of the client: RESUME, RESTART or STOP
 * @param field invalid field of the request; empty if none is named
 * @param description description of the field's violation
 * @param retryAfter zero if there is none
 */
public record ReceivedError(
    Status.Code code,
    String reason,
    String action,
    String field,
    String description,
    Duration retryAfter,
    String message) {
  private static final String DOMAIN = "watchgate.io";
  private static final int DETAILS_LIMIT = 4096;

  /**
   * Parses an error.
   *
   * @throws AssertionError if its parts contradict each other
   */
  public static ReceivedError of(Throwable error) {
    if (!(error instanceof StatusRuntimeException failure)) {
      throw new AssertionError("no status: " + error, error);
    }
    Status status = failure.getStatus();
    String message = String.valueOf(status.getDescription());
    com.google.rpc.Status details = StatusProto.fromThrowable(failure);
    ReceivedError answer =
        new ReceivedError(
            status.getCode(), "", trailer(failure, "action"), "", "", Duration.ZERO, message);
    if (details == null) {
      return answer;
    }
    if (details.getSerializedSize() > DETAILS_LIMIT) {
      throw new AssertionError("details of " + details.getSerializedSize() + " bytes");
    }
    for (Any detail : details.getDetailsList()) {
      answer = answer.with(detail);
    }
    if (!answer.reason.isEmpty() && !answer.reason.equals(trailer(failure, "reason"))) {
      throw new AssertionError(answer + " has the trailer " + trailer(failure, "reason"));
    }
    return answer;
  }

  private ReceivedError with(Any detail) {
    try {
      if (detail.is(ErrorInfo.class)) {
        ErrorInfo info = detail.unpack(ErrorInfo.class);
        if (!info.getDomain().equals(DOMAIN)) {
          return this;
        }
        String said = info.getMetadataOrDefault("action", "");
        if (!said.equals(action)) {
          throw new AssertionError("action " + said + ", but the trailer " + action);
        }
        return new ReceivedError(
            code, info.getReason(), action, field, description, retryAfter, message);
      }
      if (detail.is(BadRequest.class)) {
        BadRequest.FieldViolation violation = detail.unpack(BadRequest.class).getFieldViolations(0);
        return new ReceivedError(
            code,
            reason,
            action,
            violation.getField(),
            violation.getDescription(),
            retryAfter,
            message);
      }
      if (detail.is(RetryInfo.class)) {
        var delay = detail.unpack(RetryInfo.class).getRetryDelay();
        return new ReceivedError(
            code,
            reason,
            action,
            field,
            description,
            Duration.ofSeconds(delay.getSeconds(), delay.getNanos()),
            message);
      }
      return this;
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError(e);
    }
  }

  private static String trailer(StatusRuntimeException failure, String name) {
    Metadata trailers = failure.getTrailers();
    @Nullable String value =
        trailers == null
            ? null
            : trailers.get(Metadata.Key.of("watchgate-" + name, Metadata.ASCII_STRING_MARSHALLER));
    return value == null ? "" : value;
  }

  /** {@code INVALID_ARGUMENT FIELD_REQUIRED STOP}. */
  public String summary() {
    return code + " " + reason + " " + action;
  }
}
