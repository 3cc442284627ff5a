package io.watchgate.fanout;

import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Error reply of the gateway: the reason that a request is refused or a stream is closed.
 *
 * @param reason reason of the contract; the gRPC status and the client's action follow from it
 * @param message what was requested, what is wrong, and what to do
 * @param field field of the request that caused the error; empty if none
 * @param column column in the text of that field, from 1; 0 where it does not apply
 * @param retryAfter delay before a retry; zero if the gateway has no advice
 * @param quota the limit that was reached if the reason is QUOTA; else null
 */
public record ApiError(
    ErrorReason reason,
    String message,
    String field,
    int column,
    Duration retryAfter,
    @Nullable QuotaViolation quota) {

  public static ApiError of(ErrorReason reason, String message) {
    return new ApiError(reason, message, "", 0, Duration.ZERO, null);
  }

  public static ApiError ofField(ErrorReason reason, String field, String message) {
    return new ApiError(reason, message, field, 0, Duration.ZERO, null);
  }

  public static ApiError retry(ErrorReason reason, Duration after, String message) {
    return new ApiError(reason, message, "", 0, after, null);
  }

  /** Returns an error that only an administrator can fix. Clients are asked to wait for 10 s. */
  public static ApiError forbidden(String message) {
    return retry(ErrorReason.ERROR_REASON_UPSTREAM_FORBIDDEN, Duration.ofSeconds(10), message);
  }

  /** Returns an error with the reason QUOTA. */
  public static ApiError quota(QuotaViolation quota, Duration after, String message) {
    return new ApiError(ErrorReason.ERROR_REASON_QUOTA, message, "", 0, after, quota);
  }
}
