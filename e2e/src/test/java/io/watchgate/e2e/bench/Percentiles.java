package io.watchgate.e2e.bench;

import java.time.Duration;
import java.util.List;

/** How a number of times are spread; of none, all are zero. */
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
