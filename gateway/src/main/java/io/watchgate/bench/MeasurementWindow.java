package io.watchgate.bench;

/**
 * What of the run is measured: deliveries of writes that were meant to be made in it. Begun by one
 * thread, read by all.
 */
final class MeasurementWindow {
  private volatile long from = Long.MAX_VALUE;
  private volatile long to = Long.MAX_VALUE;

  void begin(long nanos) {
    from = nanos;
  }

  void end(long nanos) {
    to = nanos;
  }

  boolean covers(long intended) {
    return intended >= from && intended < to;
  }
}
