package io.watchgate.bench;

import org.HdrHistogram.Histogram;

/**
 * Histogram of durations with an exact maximum, which HdrHistogram rounds up. A quantile is at most
 * 0.8 % too high. The range is 0 to 73 minutes; longer durations count as 73 minutes. Not
 * thread-safe: each thread has its own histogram, and {@link #add} merges them.
 */
final class LatencyHistogram {
  private static final long MAX_NANOS = (1L << 42) - 1;
  private static final int SIGNIFICANT_DIGITS = 2;

  private final Histogram counts = new Histogram(MAX_NANOS, SIGNIFICANT_DIGITS);
  private long max;

  /** Records a duration in nanoseconds; negative durations count as 0. */
  void record(long nanos) {
    long value = Math.clamp(nanos, 0, MAX_NANOS);
    counts.recordValue(value);
    max = Math.max(max, value);
  }

  void add(LatencyHistogram other) {
    counts.add(other.counts);
    max = Math.max(max, other.max);
  }

  long total() {
    return counts.getTotalCount();
  }

  /** Returns the longest duration in nanoseconds; 0 if nothing was recorded. */
  long max() {
    return max;
  }

  /**
   * Returns the duration in nanoseconds that this share of the durations does not exceed; 0 if
   * nothing was recorded.
   *
   * @param quantile above 0, at most 1
   */
  long quantile(double quantile) {
    return Math.min(counts.getValueAtPercentile(quantile * 100), max);
  }
}
