package io.watchgate.bench.compare;

import java.util.Arrays;

/** Of several values of the same thing; all NaN if one of them is, or there is none. */
record MedianRange(double least, double median, double most) {
  private static final MedianRange UNKNOWN = new MedianRange(Double.NaN, Double.NaN, Double.NaN);

  /** Of values in any order. */
  static MedianRange of(double[] values) {
    if (values.length == 0) {
      return UNKNOWN;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted); // NaN last
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
