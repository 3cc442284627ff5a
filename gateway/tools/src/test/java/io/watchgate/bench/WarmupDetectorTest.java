package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Agreement of three consecutive windows. */
class WarmupDetectorTest {
  @ParameterizedTest
  @CsvSource({
    "1 1, false",
    "1 1 1, true",
    "3 2 1, false",
    "3 2 1 1 1.04, true",
    "1 1.03 1.06, false",
    "1 NaN 1, false",
    "NaN 1 1 1, true",
  })
  void warmUp_threeEqualWindows_ends(String windows, boolean reached) {
    WarmupDetector steadiness = new WarmupDetector();
    boolean last = false;
    for (String window : windows.split(" ", -1)) {
      last = steadiness.addWindow(Double.parseDouble(window), 0);
    }
    assertThat(last).isEqualTo(reached);
  }

  @ParameterizedTest
  @CsvSource({"0.05, true", "0.051, false"})
  void warmUp_compilersBusy_doesNotEnd(double compiling, boolean reached) {
    WarmupDetector steadiness = new WarmupDetector();
    steadiness.addWindow(1, 0.5);
    steadiness.addWindow(1, 0.5);
    assertThat(steadiness.addWindow(1, compiling)).isEqualTo(reached);
  }
}
