package io.watchgate.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HumanDurationTest {
  @ParameterizedTest
  @CsvSource({
    "-5s, <invalid>",
    "-1s, 0s",
    "0s, 0s",
    "1s, 1s",
    "119s, 119s",
    "2m, 2m",
    "125s, 2m5s",
    "599s, 9m59s",
    "10m, 10m",
    "179m, 179m",
    "3h, 3h",
    "185m, 3h5m",
    "479m, 7h59m",
    "8h, 8h",
    "47h, 47h",
    "48h, 2d",
    "49h, 2d1h",
    "191h, 7d23h",
    "192h, 8d",
    "17519h, 729d",
    "17520h, 2y",
    "17544h, 2y1d",
    "70079h, 7y364d",
    "70080h, 8y"
  })
  void duration_isFormattedLikeKubectl(String length, String said) {
    assertThat(HumanDuration.of(Duration.parse("PT" + length))).isEqualTo(said);
  }
}
