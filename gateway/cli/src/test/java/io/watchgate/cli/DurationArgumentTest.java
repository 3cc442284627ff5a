package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** Tests of durations on the command line. */
final class DurationArgumentTest {
  @ParameterizedTest
  @CsvSource({
    "30s, PT30S",
    "1h30m, PT1H30M",
    "500ms, PT0.5S",
    "1.5h, PT1H30M",
    "0.25s, PT0.25S",
    "90, PT1M30S",
    "2.5, PT2.5S",
  })
  void duration_numbersWithUnits_aloneSeconds(String text, Duration expected) {
    assertThat(new DurationArgument().convert(text)).isEqualTo(expected);
    assertThat(new DurationArgument.OrZero().convert(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "h", "1x", "-5s", "1.2.3s", "5s3", "1..5h", "1234567890s", "s5"})
  void noDuration_isRefused(String text) {
    assertThatThrownBy(() -> new DurationArgument().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("is not a duration above 0, such as 30s");
    assertThatThrownBy(() -> new DurationArgument.OrZero().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessage(
            "'%s' is not a duration of 0 or more, such as 0, 30s, 5m, 1h30m, 1.5h, 500ms or 90"
                + " (seconds)",
            text);
  }

  @Test
  void zero_isForOrZeroOnly() {
    assertThat(new DurationArgument.OrZero().convert("0")).isZero();
    assertThat(new DurationArgument.OrZero().convert("0s")).isZero();
    assertThatThrownBy(() -> new DurationArgument().convert("0"))
        .isInstanceOf(TypeConversionException.class);
  }
}
