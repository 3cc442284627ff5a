package io.watchgate.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Median and range of values. */
class MedianRangeTest {
  @Test
  void oddNumber_medianIsTheMiddle() {
    assertThat(MedianRange.of(new double[] {3, 1, 2})).isEqualTo(new MedianRange(1, 2, 3));
  }

  @Test
  void evenNumber_medianIsTheMeanOfTheMiddle() {
    assertThat(MedianRange.of(new double[] {4, 1, 2, 3})).isEqualTo(new MedianRange(1, 2.5, 4));
  }

  @Test
  void unknownValue_makesAllUnknown() {
    assertThat(MedianRange.of(new double[] {1, Double.NaN, 2}).median()).isNaN();
    assertThat(MedianRange.of(new double[] {}).median()).isNaN();
  }
}
