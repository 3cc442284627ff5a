package io.watchgate.bench;

/**
 * Measured part of a run. It contains the deliveries of all writes that were scheduled in it. Set
 * by one thread, read by any.
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
