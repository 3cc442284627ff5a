package io.watchgate.bench;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what arrives on one thread, the only one that writes here; any other reads the counters at
 * any time, and the histogram when that thread is done.
 */
final class LatencyRecorder {
  private final RunClock clock;
  private final MeasurementWindow span;
  private final LatencyHistogram latencies = new LatencyHistogram();
  private final AtomicLong deliveries = new AtomicLong();
  private final AtomicLong responses = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong snapshotObjects = new AtomicLong();
  private long now;

  LatencyRecorder(RunClock clock, MeasurementWindow span) {
    this.clock = clock;
    this.span = span;
  }

  /** A response, or a line of a watch, begins. */
  void response(int size) {
    now = clock.nanos();
    plus(responses, 1);
    plus(bytes, size);
  }

  /** A change of it. */
  void delivery(long intended) {
    plus(deliveries, 1);
    if (span.covers(intended)) {
      latencies.record(now - intended);
    }
  }

  void snapshotObject() {
    plus(snapshotObjects, 1);
  }

  /** There is one writer, so that no locked instruction is needed. */
  private static void plus(AtomicLong counter, long more) {
    counter.lazySet(counter.getPlain() + more);
  }

  DeliveryCounts traffic() {
    return new DeliveryCounts(
        deliveries.get(), responses.get(), bytes.get(), snapshotObjects.get());
  }

  LatencyHistogram latencies() {
    return latencies;
  }
}
