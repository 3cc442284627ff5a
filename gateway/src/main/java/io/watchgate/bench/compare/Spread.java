package io.watchgate.bench.compare;

import java.util.Arrays;

/** Of several values of the same thing; all NaN if one of them is. */
record Spread(double least, double median, double most) {
  /**
   * Of values in any order.
   *
   * @param values at least one
   */
  static Spread of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted); // NaN last
    int middle = sorted.length / 2;
    double most = sorted[sorted.length - 1];
    if (Double.isNaN(most)) {
      return new Spread(Double.NaN, Double.NaN, Double.NaN);
    }
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(sorted[0], median, most);
  }
}
