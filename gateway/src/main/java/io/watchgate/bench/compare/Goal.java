package io.watchgate.bench.compare;

import java.util.Locale;

/**
 * What the ratio of a figure of the first side to that of another may be, or the figure itself.
 *
 * @param against the name of the other side; empty: the figure itself is meant
 */
record Goal(Metric measure, String against, Bound bound, double ratio) {
  /** Which way it is good. */
  enum Bound {
    AT_MOST,
    AT_LEAST,
    /** It is only shown. */
    SHOWN
  }

  static Goal atMost(double ratio, Metric measure, String against) {
    return new Goal(measure, against, Bound.AT_MOST, ratio);
  }

  static Goal atLeast(double ratio, Metric measure, String against) {
    return new Goal(measure, against, Bound.AT_LEAST, ratio);
  }

  /** Of the figure itself. */
  static Goal limit(double value, Metric measure) {
    return new Goal(measure, "", Bound.AT_MOST, value);
  }

  static Goal shown(Metric measure, String against) {
    return new Goal(measure, against, Bound.SHOWN, 0);
  }

  /** Whether it can be missed. */
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
