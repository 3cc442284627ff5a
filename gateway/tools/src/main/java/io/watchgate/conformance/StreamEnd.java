package io.watchgate.conformance;

import com.google.gson.JsonObject;
import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;

/** End of a scripted stream. */
public sealed interface StreamEnd {
  /** No end: the stream stays open and is silent. */
  record Open() implements StreamEnd {}

  /** The code OK, which no gateway sends. */
  record Completed() implements StreamEnd {}

  /** An error. */
  record Failed(StatusRuntimeException error) implements StreamEnd {}

  /**
   * Reads {@code {"code": …, "message": …, "reason": …, "action": …, "retryAfter": "1.5s",
   * "details": false}}. Without a reason it is an error of a proxy or a library; with {@code
   * "details": false} one of a gateway behind a proxy that drops the details and keeps the
   * trailers.
   */
  static StreamEnd read(JsonObject end) throws CaseFormatException {
    CaseFields fields = new CaseFields(end, "end");
    fields.allow("code", "message", "reason", "action", "retryAfter", "details");
    Status.Code code = code(fields.text("code", ""));
    if (code == Status.Code.OK) {
      return new Completed();
    }
    String reason = fields.text("reason", "");
    String message = fields.text("message", reason.isEmpty() ? "broken" : "refused: " + reason);
    Metadata trailers = new Metadata();
    if (reason.isEmpty()) {
      return new Failed(code.toStatus().withDescription(message).asRuntimeException());
    }
    String action = fields.text("action", "");
    trailers.put(ascii("watchgate-reason"), reason);
    trailers.put(ascii("watchgate-action"), action);
    if (end.has("details") && !end.get("details").getAsBoolean()) {
      return new Failed(code.toStatus().withDescription(message).asRuntimeException(trailers));
    }
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .setMessage(message)
            .addDetails(Any.pack(info(reason, action)));
    if (reason.equals("QUOTA")) {
      status.addDetails(Any.pack(quota()));
    }
    if (end.has("retryAfter")) {
      status.addDetails(Any.pack(retry(fields.duration("retryAfter"))));
    }
    return new Failed(StatusProto.toStatusRuntimeException(status.build(), trailers));
  }

  private static Status.Code code(String name) throws CaseFormatException {
    try {
      return Status.Code.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new CaseFormatException("\"" + name + "\" is no code of gRPC");
    }
  }

  private static ErrorInfo info(String reason, String action) {
    return ErrorInfo.newBuilder()
        .setReason(reason)
        .setDomain("watchgate.io")
        .putMetadata("action", action)
        .build();
  }

  private static QuotaFailure quota() {
    return QuotaFailure.newBuilder()
        .addViolations(
            QuotaFailure.Violation.newBuilder()
                .setSubject("streams:client")
                .setDescription("1 open streams of one client, of at most 1."))
        .build();
  }

  private static RetryInfo retry(Duration delay) {
    return RetryInfo.newBuilder()
        .setRetryDelay(
            com.google.protobuf.Duration.newBuilder()
                .setSeconds(delay.getSeconds())
                .setNanos(delay.getNano()))
        .build();
  }

  private static Metadata.Key<String> ascii(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }
}
