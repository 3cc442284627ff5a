package io.watchgate.grpc;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import com.google.rpc.Code;
import com.google.rpc.ErrorInfo;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.watchgate.encode.ProtoTime;
import io.watchgate.error.ApiError;
import io.watchgate.error.QuotaViolation;
import io.watchgate.error.ReasonName;
import io.watchgate.error.StreamErrors;
import io.watchgate.proto.v1.ErrorReason;
import java.nio.charset.StandardCharsets;

/**
 * Encoder of an {@link ApiError} as gRPC status: code, ErrorInfo, further details, and two trailers
 * for clients that do not read details.
 */
final class GrpcErrors {
  static final String DOMAIN = "watchgate.io";
  static final Metadata.Key<String> REASON = ascii("watchgate-reason");
  static final Metadata.Key<String> ACTION = ascii("watchgate-action");

  /**
   * Clients accept 8 KiB of trailers; above it they get no reason at all. The trailers contain the
   * text three times: once percent-encoded, with up to three characters a byte, and twice in
   * base64.
   */
  private static final int MAX_MESSAGE_BYTES = 1_100;

  private GrpcErrors() {}

  private static Metadata.Key<String> ascii(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  static StatusRuntimeException exception(ApiError refusal) {
    String reason = ReasonName.of(refusal.reason());
    CallStatus.Action action = action(refusal.reason());
    String message = truncate(refusal.message());
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder()
            .setCode(code(refusal.reason()).getNumber())
            .setMessage(message)
            .addDetails(info(reason, action));
    if (!refusal.field().isEmpty()) {
      String column = refusal.column() > 0 ? "column " + refusal.column() + ": " : "";
      status.addDetails(
          Any.pack(
              BadRequest.newBuilder()
                  .addFieldViolations(
                      BadRequest.FieldViolation.newBuilder()
                          .setField(refusal.field())
                          .setDescription(column + message)
                          .setReason(reason))
                  .build()));
    }
    if (refusal.quota() != null) {
      status.addDetails(Any.pack(failure(refusal.quota())));
    }
    if (!refusal.retryAfter().isZero()) {
      status.addDetails(
          Any.pack(
              RetryInfo.newBuilder().setRetryDelay(ProtoTime.of(refusal.retryAfter())).build()));
    }
    return StatusProto.toStatusRuntimeException(status.build(), trailers(reason, action));
  }

  private static QuotaFailure failure(QuotaViolation quota) {
    String description = quota.used() + " " + quota.unit() + ", of at most " + quota.limit() + ".";
    return QuotaFailure.newBuilder()
        .addViolations(
            QuotaFailure.Violation.newBuilder()
                .setSubject(quota.subject())
                .setDescription(description))
        .build();
  }

  /** Returns the status of an internal failure, without any internals. */
  static StatusRuntimeException internal() {
    String reason = ReasonName.of(ErrorReason.ERROR_REASON_UNSPECIFIED);
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(Code.INTERNAL_VALUE)
            .setMessage(StreamErrors.INTERNAL)
            .addDetails(info(reason, CallStatus.Action.RESUME))
            .build(),
        trailers(reason, CallStatus.Action.RESUME));
  }

  private static Any info(String reason, CallStatus.Action action) {
    return Any.pack(
        ErrorInfo.newBuilder()
            .setReason(reason)
            .setDomain(DOMAIN)
            .putMetadata("action", action.name())
            .build());
  }

  /** Closes a call with an error. */
  static void close(ServerCall<?, ?> call, ApiError error) {
    StatusRuntimeException exception = exception(error);
    call.close(exception.getStatus(), trailers(exception));
  }

  /** Returns the trailers of a status from this class. */
  static Metadata trailers(StatusRuntimeException exception) {
    Metadata trailers = exception.getTrailers();
    return trailers == null ? new Metadata() : trailers;
  }

  private static Metadata trailers(String reason, CallStatus.Action action) {
    Metadata trailers = new Metadata();
    trailers.put(REASON, reason);
    trailers.put(ACTION, action.name());
    return trailers;
  }

  private static String truncate(String message) {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MAX_MESSAGE_BYTES) {
      return message;
    }
    int end = MAX_MESSAGE_BYTES;
    while ((bytes[end] & 0xC0) == 0x80) {
      end--; // not inside a character
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8) + "…";
  }

  static Code code(ErrorReason reason) {
    return switch (reason) {
      case ERROR_REASON_FIELD_REQUIRED,
          ERROR_REASON_NAMESPACE_EMPTY,
          ERROR_REASON_SELECTOR_INVALID,
          ERROR_REASON_FIELD_NOT_SELECTABLE,
          ERROR_REASON_TOO_COMPLEX,
          ERROR_REASON_TOKEN_MALFORMED,
          ERROR_REASON_TOKEN_OTHER_SELECTION,
          ERROR_REASON_UNSUPPORTED_FIELD,
          ERROR_REASON_UNSUPPORTED_VALUE,
          ERROR_REASON_VALUE_INVALID ->
          Code.INVALID_ARGUMENT;
      case ERROR_REASON_TYPE_UNKNOWN, ERROR_REASON_TYPE_GONE -> Code.NOT_FOUND;
      case ERROR_REASON_TYPE_NOT_WATCHABLE,
          ERROR_REASON_TYPE_NOT_SERVED,
          ERROR_REASON_VERSIONS_NOT_ORDERED ->
          Code.FAILED_PRECONDITION;
      case ERROR_REASON_POSITION_EXPIRED,
          ERROR_REASON_HISTORY_LOST,
          ERROR_REASON_CHANGES_LOST,
          ERROR_REASON_PAGE_EXPIRED ->
          Code.OUT_OF_RANGE;
      case ERROR_REASON_STARTING,
          ERROR_REASON_BEHIND,
          ERROR_REASON_DRAINING,
          ERROR_REASON_STREAM_AGE,
          ERROR_REASON_REBALANCING,
          ERROR_REASON_TOO_STALE,
          ERROR_REASON_UPSTREAM_UNAVAILABLE,
          ERROR_REASON_UPSTREAM_FORBIDDEN ->
          Code.UNAVAILABLE;
      case ERROR_REASON_LAGGED, ERROR_REASON_MEMORY, ERROR_REASON_QUOTA -> Code.RESOURCE_EXHAUSTED;
      case ERROR_REASON_CREDENTIALS_INVALID, ERROR_REASON_CREDENTIALS_EXPIRED ->
          Code.UNAUTHENTICATED;
      case ERROR_REASON_ACCESS_DENIED, ERROR_REASON_ACCESS_CHANGED -> Code.PERMISSION_DENIED;
      case ERROR_REASON_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalArgumentException("a refusal without a reason");
    };
  }

  static CallStatus.Action action(ErrorReason reason) {
    return switch (code(reason)) {
      case OUT_OF_RANGE -> CallStatus.Action.RESTART;
      case UNAVAILABLE, RESOURCE_EXHAUSTED -> CallStatus.Action.RESUME;
      case UNAUTHENTICATED ->
          reason == ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED
              ? CallStatus.Action.RESUME
              : CallStatus.Action.STOP;
      default -> CallStatus.Action.STOP;
    };
  }
}
