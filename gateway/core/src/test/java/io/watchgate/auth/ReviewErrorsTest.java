package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.VirtualTime;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import org.junit.jupiter.api.Test;

/** Tests of the error for callers when the apiserver did not answer. */
final class ReviewErrorsTest {
  private final ReviewErrors unanswered = new ReviewErrors(new VirtualTime().source());

  @Test
  void error_hasTheRemedyAndNoMore() {
    ApiError refusal =
        unanswered
            .refusal(
                "to identify the caller",
                new ReviewUnavailableException(
                    "POST https://10.0.0.1: 403: user gate may not",
                    "this gateway lacks the right to create tokenreviews.authentication.k8s.io"))
            .error();

    assertThat(refusal.reason()).isEqualTo(ErrorReason.ERROR_REASON_UPSTREAM_UNAVAILABLE);
    assertThat(refusal.message())
        .isEqualTo(
            "the apiserver could not be asked to identify the caller: this gateway lacks the right"
                + " to create tokenreviews.authentication.k8s.io. Try again once an operator has"
                + " changed that.");
  }

  @Test
  void error_withoutRemedy_refersToTheLog() {
    ApiError refusal =
        unanswered
            .refusal("to identify the caller", new ReviewUnavailableException("10.0.0.1 is away"))
            .error();

    assertThat(refusal.message())
        .isEqualTo(
            "the apiserver could not be asked to identify the caller. Try again. An operator finds"
                + " the reason in the log of this gateway.");
  }
}
