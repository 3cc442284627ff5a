package io.watchgate.cache;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Backpressure on the writer of a cache: it waits while the cache's {@link RevisionConsumer} lags
 * by more than a limit ({@link ConsumerLagSettings}), and while memory that was given up is not
 * free yet. Meanwhile events queue at the apiserver, which has room for them. The consumer may be
 * set on any thread; the writer reads it.
 */
final class WriterBackpressure {
  private final TimeSource time;
  private final long bytes;
  private final HeapBudget heap;
  private final CacheMetrics metrics;
  private volatile @Nullable RevisionConsumer consumer;

  /** The writer while it waits for the consumer. */
  private volatile @Nullable Thread waitingWriter;

  private volatile boolean stopped;

  /**
   * @param historyBytes size limit of history; the consumer may lag by a quarter of it, 1 to 16 MiB
   */
  WriterBackpressure(TimeSource time, long historyBytes, HeapBudget heap, CacheMetrics metrics) {
    this.time = time;
    this.bytes =
        Math.clamp(historyBytes / 4, ConsumerLagSettings.MIN_BYTES, ConsumerLagSettings.MAX_BYTES);
    this.heap = heap;
    this.metrics = metrics;
  }

  /** Sets the consumer; null for none. */
  void setConsumer(@Nullable RevisionConsumer next) {
    consumer = next;
    wakeWriter();
  }

  /** Ends a wait, and all later ones. */
  void stop() {
    stopped = true;
    wakeWriter();
  }

  /** Blocks the writer until there is room for another event, it is stopped, or interrupted. */
  void awaitRoom(@Nullable Revision head) {
    if (isExceeded(head)) {
      long began = time.nanoTime();
      awaitConsumer(head);
      metrics.waitedForRouter(time.nanoTime() - began);
    }
    if (heap.mustWaitForCollection()) {
      long began = time.nanoTime();
      awaitHeap(began);
      metrics.waitedForHeap(time.nanoTime() - began);
    }
  }

  /**
   * Blocks while the consumer is too far behind {@code head}. {@link #wakeWriter} is called after
   * each change of what this depends on: both sides write before they read the other's volatile
   * field, so that no wake-up is lost.
   */
  private void awaitConsumer(@Nullable Revision head) {
    waitingWriter = Thread.currentThread();
    while (isExceeded(head) && !isEnded()) {
      LockSupport.park(this);
    }
    waitingWriter = null;
  }

  /**
   * Blocks for a bounded time, because a stream that never releases its pins must not block the
   * type for good. Nothing signals freed memory, so it looks again and again.
   */
  private void awaitHeap(long began) {
    while (heap.mustWaitForCollection()
        && time.nanoTime() - began < HeapSettings.WAIT.toNanos()
        && !isEnded()) {
      LockSupport.parkNanos(this, HeapSettings.POLL.toNanos());
    }
  }

  private boolean isEnded() {
    return stopped || Thread.currentThread().isInterrupted();
  }

  /** Makes a waiting writer look again. From any thread. */
  void wakeWriter() {
    Thread writer = waitingWriter;
    if (writer != null) {
      LockSupport.unpark(writer);
    }
  }

  private @Nullable Revision consumerRevision() {
    RevisionConsumer current = consumer;
    return current == null ? null : current.reachedRevision();
  }

  /** Returns the number of the first revision that has to be kept for the consumer. */
  long firstKept() {
    Revision at = consumerRevision();
    return at == null ? Long.MAX_VALUE : at.number();
  }

  /**
   * Returns whether the consumer is so far behind {@code head} that the writer must not read more.
   */
  boolean isExceeded(@Nullable Revision head) {
    Revision at = consumerRevision();
    Revision next = at == null ? null : at.next();
    return at != null
        && head != null
        && next != null
        && (head.supersededBytes() - at.supersededBytes() > bytes
            || time.nanoTime() - next.receivedNanos() > ConsumerLagSettings.MAX_LAG_NANOS);
  }
}
