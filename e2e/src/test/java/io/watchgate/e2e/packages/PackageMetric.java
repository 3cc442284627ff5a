package io.watchgate.e2e.packages;

import io.watchgate.e2e.informers.Metric;

/** Row of figures of {@link PackagesBenchmark}. */
enum PackageMetric implements Metric {
  SYNCED("process start to synced, s", 2),
  SYNCED_CPU("CPU until then, s", 2),
  SYNCED_GATEWAY("CPU of the gateway meanwhile, s", 2),
  RESIDENT("peak resident until synced, MiB", 0),
  EVENT_NEW("CPU per event, first seconds, µs", 0),
  EVENT("CPU per event, after them, µs", 0),
  EVENT_GATEWAY("CPU of the gateway per event, µs", 0);

  private final String title;
  private final int digits;

  PackageMetric(String title, int digits) {
    this.title = title;
    this.digits = digits;
  }

  @Override
  public int digits() {
    return digits;
  }

  @Override
  public String toString() {
    return title;
  }
}
