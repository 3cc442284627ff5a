package io.watchgate.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.RetryInfo;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;

/**
 * End of a call over HTTP, with the parts of the status that another protocol than gRPC needs.
 *
 * @param reason name of the contract without its prefix
 * @param field field of the request that caused the error; empty if none
 * @param retryAfter least time before the next attempt; zero without advice
 */
public record CallStatus(
    Status status,
    Metadata trailers,
    String reason,
    Action action,
    String message,
    String field,
    Duration retryAfter) {
  /** Action that a client should take (watch.proto). */
  public enum Action {
    RESUME,
    RESTART,
    STOP
  }

  /** Decodes a status of {@link GrpcErrors}. One of a library has no action: RESUME. */
  static CallStatus of(Status status, Metadata trailers) {
    String reason = trailers.get(GrpcErrors.REASON);
    String action = trailers.get(GrpcErrors.ACTION);
    String field = "";
    Duration retryAfter = Duration.ZERO;
    for (var detail : StatusProto.fromStatusAndTrailers(status, trailers).getDetailsList()) {
      try {
        if (detail.is(BadRequest.class)) {
          field = detail.unpack(BadRequest.class).getFieldViolations(0).getField();
        } else if (detail.is(RetryInfo.class)) {
          com.google.protobuf.Duration delay = detail.unpack(RetryInfo.class).getRetryDelay();
          retryAfter = Duration.ofSeconds(delay.getSeconds(), delay.getNanos());
        }
      } catch (InvalidProtocolBufferException e) {
        throw new IllegalStateException("a status of this gateway cannot be read", e);
      }
    }
    return new CallStatus(
        status,
        trailers,
        reason == null ? "UNSPECIFIED" : reason,
        action == null ? Action.RESUME : Action.valueOf(action),
        status.getDescription() == null ? "" : status.getDescription(),
        field,
        retryAfter);
  }
}
