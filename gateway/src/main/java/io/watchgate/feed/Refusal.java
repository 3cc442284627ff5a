package io.watchgate.feed;

import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;

/**
 * Why a request is not answered, or a stream goes no further.
 *
 * @param reason from the contract; status and action follow from it
 * @param message what was asked, what is wrong, what to do
 * @param field the request's field that is to blame, empty if none is
 * @param column where in that field's text, from 1; 0 where that does not apply
 * @param retryAfter when to try again; zero: nothing to say about it
 */
public record Refusal(
    ErrorReason reason, String message, String field, int column, Duration retryAfter) {

  public static Refusal of(ErrorReason reason, String message) {
    return new Refusal(reason, message, "", 0, Duration.ZERO);
  }

  public static Refusal ofField(ErrorReason reason, String field, String message) {
    return new Refusal(reason, message, field, 0, Duration.ZERO);
  }

  public static Refusal retry(ErrorReason reason, Duration after, String message) {
    return new Refusal(reason, message, "", 0, after);
  }
}
