package io.watchgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class ClientCertificatesTest {
  @ParameterizedTest
  @CsvSource({
    "LIMIT, 429, true",
    "CAPACITY, 429, true",
    "LOADING, 429, true",
    "NOT_PROVEN, 429, true",
    "UNANSWERED, 503, true",
    "OLD_VERSION, 410, false",
    "FUTURE_VERSION, 504, true"
  })
  void holderOfCertificate_passingReason_mayTryAgain(
      RelayReason reason, int code, boolean retryAfter) {
    StatusException refusal = ClientCertificates.refusal(reason);
    assertThat(refusal.code()).isEqualTo(code);
    assertThat(refusal.details().retryAfterSeconds() > 0).isEqualTo(retryAfter);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "LIMIT",
        "CAPACITY",
        "LOADING",
        "NOT_PROVEN",
        "UNANSWERED",
        "OLD_VERSION",
        "FUTURE_VERSION"
      })
  void holderOfCertificate_otherReason_isForbidden(RelayReason reason) {
    StatusException refusal = ClientCertificates.refusal(reason);
    assertThat(refusal.code()).isEqualTo(403);
    assertThat(refusal.getMessage()).contains("cannot pass a client certificate on");
  }
}
