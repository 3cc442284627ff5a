package io.watchgate.bench.compare;

import java.util.Arrays;

/** Of several values of the same thing; all NaN if one of them is, or there is none. */
record Spread(double least, double median, double most) {
  private static final Spread UNKNOWN = new Spread(Double.NaN, Double.NaN, Double.NaN);

  /** Of values in any order. */
  static Spread of(double[] values) {
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
    return new Spread(sorted[0], median, most);
  }
}
