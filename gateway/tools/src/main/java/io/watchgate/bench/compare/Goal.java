package io.watchgate.bench.compare;

import java.util.Locale;

/**
 * Bound on a metric's ratio between the first contender and another, or on the metric itself.
 *
 * @param against name of the other contender; empty: the metric itself
 */
record Goal(Metric metric, String against, Bound bound, double ratio) {
  /** Direction of the bound. */
  enum Bound {
    AT_MOST,
    AT_LEAST,
    /** No bound: the value is only displayed. */
    SHOWN
  }

  static Goal atMost(double ratio, Metric measure, String against) {
    return new Goal(measure, against, Bound.AT_MOST, ratio);
  }

  static Goal atLeast(double ratio, Metric measure, String against) {
    return new Goal(measure, against, Bound.AT_LEAST, ratio);
  }

  /** Returns an upper bound on the metric itself. */
  static Goal limit(double value, Metric measure) {
    return new Goal(measure, "", Bound.AT_MOST, value);
  }

  static Goal shown(Metric measure, String against) {
    return new Goal(measure, against, Bound.SHOWN, 0);
  }

  /** Returns whether the goal can be missed. */
  boolean isBound() {
    return bound != Bound.SHOWN;
  }

  boolean isMetBy(double seen) {
    return switch (bound) {
      case AT_MOST -> seen <= ratio;
      case AT_LEAST -> seen >= ratio;
      case SHOWN -> true;
    };
  }

  String text() {
    return switch (bound) {
      case AT_MOST -> String.format(Locale.ROOT, "<= %.2f", ratio);
      case AT_LEAST -> String.format(Locale.ROOT, ">= %.2f", ratio);
      case SHOWN -> "-";
    };
  }
}
