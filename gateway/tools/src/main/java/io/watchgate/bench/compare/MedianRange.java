package io.watchgate.bench.compare;

import java.util.Arrays;

/** Median and range of several values; all NaN if a value is NaN or there are none. */
record MedianRange(double min, double median, double max) {
  private static final MedianRange UNKNOWN = new MedianRange(Double.NaN, Double.NaN, Double.NaN);

  /** Returns median and range of values in any order. */
  static MedianRange of(double[] values) {
    if (values.length == 0) {
      return UNKNOWN;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted); // NaN is last
    int middle = sorted.length / 2;
    double most = sorted[sorted.length - 1];
    if (Double.isNaN(most)) {
      return UNKNOWN;
    }
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new MedianRange(sorted[0], median, most);
  }
}
