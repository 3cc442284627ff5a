package io.watchgate.e2e.informers;

/** Row of figures of {@link InformersBenchmark}. */
enum InformerMetric implements Metric {
  SYNCED("JVM start to synced, s", 2),
  SYNCED_CPU("CPU until then, s", 2),
  SYNCED_GATEWAY("CPU of the gateway meanwhile, s", 2),
  HEAP("live heap per cached pod, B", 0),
  HEAP_FIXED("live heap of the client without pods, MB", 1),
  RESIDENT("peak resident until synced, MiB", 0),
  EVENT("CPU per event, second 20 s, µs", 0),
  EVENT_LATER("CPU per event, second minute, µs", 0),
  EVENT_GATEWAY("CPU of the gateway per event, µs", 0),
  JARS("class path, jars", 0),
  CLASS_PATH("class path, MB", 1),
  LIVE("live again after a cut of 5 s, s", 2),
  AGAIN("events of pods that did not change, a cut", 0);

  private final String title;
  private final int digits;

  InformerMetric(String title, int digits) {
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
