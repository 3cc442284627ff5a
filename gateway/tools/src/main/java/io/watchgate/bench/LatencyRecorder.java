package io.watchgate.bench;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counters and latencies of one receiving thread. Only that thread writes them. Any thread may read
 * the counters at any time, and the histogram once that thread has finished.
 */
final class LatencyRecorder {
  private final RunClock clock;
  private final MeasurementWindow measurementWindow;
  private final LatencyHistogram latencies = new LatencyHistogram();
  private final AtomicLong deliveries = new AtomicLong();
  private final AtomicLong responses = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong snapshotObjects = new AtomicLong();
  private long now;

  LatencyRecorder(RunClock clock, MeasurementWindow measurementWindow) {
    this.clock = clock;
    this.measurementWindow = measurementWindow;
  }

  /** Records the arrival of a response, or of a line of a watch. */
  void recordResponse(int size) {
    now = clock.nanos();
    plus(responses, 1);
    plus(bytes, size);
  }

  /** Records a change in the current response. */
  void recordDelivery(long intended) {
    plus(deliveries, 1);
    if (measurementWindow.covers(intended)) {
      latencies.record(now - intended);
    }
  }

  void recordSnapshotObject() {
    plus(snapshotObjects, 1);
  }

  /** Adds without a locked instruction, because only one thread writes. */
  private static void plus(AtomicLong counter, long more) {
    counter.lazySet(counter.getPlain() + more);
  }

  DeliveryCounts counts() {
    return new DeliveryCounts(
        deliveries.get(), responses.get(), bytes.get(), snapshotObjects.get());
  }

  LatencyHistogram latencies() {
    return latencies;
  }
}
