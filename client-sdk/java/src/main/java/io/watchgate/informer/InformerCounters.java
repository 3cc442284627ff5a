package io.watchgate.informer;

import java.util.concurrent.atomic.AtomicLong;

/** Event counters of an informer. Thread-safe. */
final class InformerCounters {
  private final AtomicLong changes = new AtomicLong();
  private final AtomicLong snapshots = new AtomicLong();
  private final AtomicLong interruptions = new AtomicLong();

  void changes(int count) {
    changes.addAndGet(count);
  }

  void snapshot() {
    snapshots.incrementAndGet();
  }

  void interruption() {
    interruptions.incrementAndGet();
  }

  /** Returns the number of received changes, applied or not. */
  long changes() {
    return changes.get();
  }

  /** Returns the number of snapshots that began, including the first. */
  long snapshots() {
    return snapshots.get();
  }

  /** Returns the number of interrupted streams and failed attempts to open a stream. */
  long interruptions() {
    return interruptions.get();
  }
}
