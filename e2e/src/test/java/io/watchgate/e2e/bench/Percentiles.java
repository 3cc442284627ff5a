package io.watchgate.e2e.bench;

import java.time.Duration;
import java.util.List;

/** Distribution of a number of durations; all values are zero if there are none. */
record Percentiles(int count, Duration median, Duration p99, Duration most) {
  static Percentiles of(List<Duration> times) {
    if (times.isEmpty()) {
      return new Percentiles(0, Duration.ZERO, Duration.ZERO, Duration.ZERO);
    }
    List<Duration> sorted = times.stream().sorted().toList();
    int count = sorted.size();
    return new Percentiles(
        count, sorted.get(count / 2), sorted.get(count * 99 / 100), sorted.getLast());
  }
}
