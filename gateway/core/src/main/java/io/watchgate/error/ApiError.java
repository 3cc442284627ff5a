package io.watchgate.error;

import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Error reply of the gateway: the reason that a request is refused or a stream is closed. Created
 * by the factories of this package only.
 *
 * @param reason reason of the contract; the gRPC status and the client's action follow from it
 * @param message what was requested, what is wrong, and what to do
 * @param field field of the request that caused the error; empty if none
 * @param column column in the text of that field, from 1; 0 where it does not apply
 * @param retryAfter delay before a retry; zero if the gateway has no advice
 * @param quota the limit that was reached if the reason is QUOTA; else null
 * @param expired versions of a stream that ended because changes after its position are not kept or
 *     not known; else null
 */
public record ApiError(
    ErrorReason reason,
    String message,
    String field,
    int column,
    Duration retryAfter,
    @Nullable QuotaViolation quota,
    @Nullable ExpiredVersion expired) {

  static ApiError of(ErrorReason reason, String message) {
    return new ApiError(reason, message, "", 0, Duration.ZERO, null, null);
  }

  static ApiError ofField(ErrorReason reason, String field, String message) {
    return new ApiError(reason, message, field, 0, Duration.ZERO, null, null);
  }

  static ApiError retry(ErrorReason reason, Duration after, String message) {
    return new ApiError(reason, message, "", 0, after, null, null);
  }

  /** Returns this error with the versions of its stream. */
  ApiError of(ExpiredVersion versions) {
    return new ApiError(reason, message, field, column, retryAfter, quota, versions);
  }
}
