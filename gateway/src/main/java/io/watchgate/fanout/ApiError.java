package io.watchgate.fanout;

import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why a request is not answered, or a stream goes no further.
 *
 * @param reason from the contract; status and action follow from it
 * @param message what was asked, what is wrong, what to do
 * @param field the request's field that is to blame, empty if none is
 * @param column where in that field's text, from 1; 0 where that does not apply
 * @param retryAfter when to try again; zero: nothing to say about it
 * @param quota the limit that was reached, where the reason is QUOTA; else null
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

  /** Only an administrator can help, so that clients are asked to wait for 10 s. */
  public static ApiError forbidden(String message) {
    return retry(ErrorReason.ERROR_REASON_UPSTREAM_FORBIDDEN, Duration.ofSeconds(10), message);
  }

  /** For the reason QUOTA. */
  public static ApiError quota(QuotaViolation quota, Duration after, String message) {
    return new ApiError(ErrorReason.ERROR_REASON_QUOTA, message, "", 0, after, quota);
  }
}
