package io.watchgate.bench;

/**
 * Histogram of durations, with buckets that are linear within each power of two. A quantile is at
 * most 1.6 % too high, and recording is one addition. The range is 0 to 73 minutes; longer
 * durations count as 73 minutes. Not thread-safe: each thread has its own histogram, and {@link
 * #add} merges them.
 */
final class LatencyHistogram {
  private static final int SUB_BITS = 6;
  private static final int SUB = 1 << SUB_BITS;
  private static final int MAX_BITS = 42;
  private static final long MAX_NANOS = (1L << MAX_BITS) - 1;

  private final long[] counts = new long[(MAX_BITS - SUB_BITS + 1) * SUB];
  private long total;
  private long max;

  /** Records a duration in nanoseconds; negative durations count as 0. */
  void record(long nanos) {
    long value = Math.clamp(nanos, 0, MAX_NANOS);
    counts[bucket(value)]++;
    total++;
    max = Math.max(max, value);
  }

  private static int bucket(long value) {
    if (value < SUB) {
      return (int) value;
    }
    int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(value) - SUB_BITS;
    return (exponent + 1) * SUB + (int) (value >>> exponent) - SUB;
  }

  /** Returns the largest value that the bucket counts. */
  private static long upperEnd(int bucket) {
    if (bucket < SUB) {
      return bucket;
    }
    int exponent = bucket / SUB - 1;
    return ((long) (bucket % SUB + SUB + 1) << exponent) - 1;
  }

  void add(LatencyHistogram other) {
    for (int i = 0; i < counts.length; i++) {
      counts[i] += other.counts[i];
    }
    total += other.total;
    max = Math.max(max, other.max);
  }

  long total() {
    return total;
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
    long rank = Math.max(1, (long) Math.ceil(quantile * total));
    long seen = 0;
    for (int i = 0; i < counts.length; i++) {
      seen += counts[i];
      if (seen >= rank) {
        return Math.min(upperEnd(i), max);
      }
    }
    return max;
  }
}
