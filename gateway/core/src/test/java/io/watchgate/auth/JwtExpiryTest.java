package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the expiry that a token claims. */
final class JwtExpiryTest {
  @ParameterizedTest
  @CsvSource({
    "1767225600, 1767225600",
    "1767225600.9, 1767225600",
    "1.7672256e9, 1767225600",
    "0, 0",
    "-5, -5"
  })
  void expiry_isReadInAnyNotation(String text, long seconds) {
    assertThat(JwtExpiry.of(Callers.jwt("{\"exp\":" + text + "}")))
        .isEqualTo(Instant.ofEpochSecond(seconds));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"exp\":null}",
        "{\"exp\":\"1767225600\"}",
        "{\"exp\":true}",
        "{\"exp\":[1767225600]}",
        "{\"exp\":99999999999999999}",
        "{\"exp\":-99999999999999999}",
        "{\"exp\":NaN}",
        "{\"exp\":1e99999999999}",
        "[1767225600]",
        "1767225600",
        "null",
        "",
        "{\"exp\":1767225600",
        "{\"exp\"",
      })
  void invalidExpiry_isNull(String claims) {
    assertThat(JwtExpiry.of(Callers.jwt(claims))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ".", "..", "...", "a.b.c", "a.!!.c", "a.e30.c.d", "e30", "a.\u00e4.c"})
  void otherToken_isNull(String token) {
    assertThat(JwtExpiry.of(token)).isNull();
  }

  /** An implausible expiry must not be treated as one in the past. */
  @ParameterizedTest
  @ValueSource(strings = {"1e1000000000", "1e400", "18446744073709551616", "9223372036854775808"})
  void tooLargeExpiry_isNull(String number) {
    assertThat(JwtExpiry.of(Callers.jwt("{\"exp\":" + number + "}"))).isNull();
  }

  @Test
  void deeplyNestedToken_isNull() {
    assertThat(JwtExpiry.of(Callers.jwt("[".repeat(100_000)))).isNull();
    assertThat(JwtExpiry.of(Callers.jwt("{\"a\":".repeat(100_000)))).isNull();
    assertThat(JwtExpiry.of(".".repeat(100_000))).isNull();
  }
}
