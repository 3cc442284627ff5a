package io.watchgate.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The median and the ends. */
class SpreadTest {
  @Test
  void ofAnOddNumberTheMiddleCounts() {
    assertThat(Spread.of(new double[] {3, 1, 2})).isEqualTo(new Spread(1, 2, 3));
  }

  @Test
  void ofAnEvenNumberTheMeanOfTheTwoInTheMiddle() {
    assertThat(Spread.of(new double[] {4, 1, 2, 3})).isEqualTo(new Spread(1, 2.5, 4));
  }

  @Test
  void whatIsUnknownMakesAllUnknown() {
    assertThat(Spread.of(new double[] {1, Double.NaN, 2}).median()).isNaN();
    assertThat(Spread.of(new double[] {}).median()).isNaN();
  }
}
