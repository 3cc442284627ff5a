package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Comparison of quantiles with those of the sorted values. */
class LatencyHistogramTest {
  private static final double ERROR = 1.0 / 128;

  @Test
  void quantiles_areAtMostOneBucketTooHigh() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    long[] values = new long[20_000];
    LatencyHistogram even = new LatencyHistogram();
    LatencyHistogram odd = new LatencyHistogram();
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextLong(1L << random.nextInt(1, 42));
      (i % 2 == 0 ? even : odd).record(values[i]);
    }
    even.add(odd);
    Arrays.sort(values);
    assertThat(even.total()).isEqualTo(values.length);
    assertThat(even.max()).isEqualTo(values[values.length - 1]);
    for (double quantile : new double[] {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1}) {
      long exact = values[(int) Math.ceil(quantile * values.length) - 1];
      assertThat(even.quantile(quantile))
          .as("seed %d, quantile %s", seed, quantile)
          .isBetween(exact, exact + (long) Math.ceil(exact * ERROR));
    }
  }

  @Test
  void smallValuesAreExact() {
    LatencyHistogram histogram = new LatencyHistogram();
    for (int i = 1; i <= 100; i++) {
      histogram.record(i);
    }
    assertThat(histogram.quantile(0.5)).isEqualTo(50);
    assertThat(histogram.quantile(0.99)).isEqualTo(99);
    assertThat(histogram.quantile(1)).isEqualTo(100);
  }

  @Test
  void valuesOutOfRange_countAsItsEnds() {
    LatencyHistogram histogram = new LatencyHistogram();
    histogram.record(-5);
    assertThat(histogram.quantile(1)).isZero();
    histogram.record(Long.MAX_VALUE);
    assertThat(histogram.quantile(1)).isEqualTo((1L << 42) - 1);
    assertThat(histogram.total()).isEqualTo(2);
  }

  @Test
  void emptyHistogram_quantileIsZero() {
    assertThat(new LatencyHistogram().quantile(0.99)).isZero();
  }
}
