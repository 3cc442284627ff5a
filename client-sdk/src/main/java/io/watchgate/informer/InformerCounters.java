package io.watchgate.informer;

import java.util.concurrent.atomic.AtomicLong;

/** How often what happened to an informer. Thread-safe. */
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

  /** As they came, whether they were applied or not. */
  long changes() {
    return changes.get();
  }

  /** Those that began, the first one too. */
  long snapshots() {
    return snapshots.get();
  }

  /** Of streams, and of attempts to open one. */
  long interruptions() {
    return interruptions.get();
  }
}
