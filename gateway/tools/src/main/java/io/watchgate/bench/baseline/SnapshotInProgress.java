package io.watchgate.bench.baseline;

import io.watchgate.bench.baseline.BaselineUpstream.NamespacedType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A snapshot that is being made, or is new enough to be reused, with all events since its start. A
 * stream that joins later has missed the events after the snapshot's version. Thread-safe.
 */
final class SnapshotInProgress {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final CompletableFuture<EncodedSnapshot> snapshot = new CompletableFuture<>();
  private final List<SharedEvent> eventsSinceStart = new ArrayList<>();
  private long madeAt;

  /** Makes the snapshot. Blocks for the apiserver. */
  void make(BaselineUpstream upstream, NamespacedType resources) {
    try {
      EncodedSnapshot made = EncodedSnapshot.of(upstream.list(resources));
      synchronized (this) {
        madeAt = System.nanoTime();
      }
      snapshot.complete(made);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      snapshot.completeExceptionally(e);
    }
  }

  CompletableFuture<EncodedSnapshot> snapshot() {
    return snapshot;
  }

  /** Returns whether a new stream may use this snapshot. */
  synchronized boolean isFresh() {
    return !snapshot.isDone()
        || (!snapshot.isCompletedExceptionally() && System.nanoTime() - madeAt < FRESH_NANOS);
  }

  synchronized void add(SharedEvent event) {
    eventsSinceStart.add(event);
  }

  synchronized List<SharedEvent> eventsSinceStart() {
    return List.copyOf(eventsSinceStart);
  }
}
