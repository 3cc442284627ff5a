package io.watchgate.cache;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Backpressure limit: maximum distance between the writer and the cache's {@link HistoryConsumer}.
 * The consumer may be set on any thread; the writer reads it.
 */
final class ConsumerLagLimit {
  private final TimeSource time;
  private final long bytes;
  private volatile @Nullable HistoryConsumer consumer;

  /** The writer while it waits for the consumer. */
  private volatile @Nullable Thread waitingWriter;

  /**
   * @param historyBytes size limit of history; the consumer may lag by a quarter of it, 1 to 16 MiB
   */
  ConsumerLagLimit(TimeSource time, long historyBytes) {
    this.time = time;
    this.bytes =
        Math.clamp(
            historyBytes / 4,
            CacheSettings.ConsumerLag.MIN_BYTES,
            CacheSettings.ConsumerLag.MAX_BYTES);
  }

  /** Sets the consumer; null for none. */
  void setConsumer(@Nullable HistoryConsumer next) {
    consumer = next;
    wakeWriter();
  }

  /**
   * Blocks the writer while the consumer is too far behind {@code head}, until {@code stopped} or
   * an interrupt. {@link #wakeWriter} is called after each change of what this depends on: both
   * sides write before they read the other's volatile field, so that no wake-up is lost.
   */
  void await(@Nullable Revision head, BooleanSupplier stopped) {
    waitingWriter = Thread.currentThread();
    while (isExceeded(head) && !stopped.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
      LockSupport.park(this);
    }
    waitingWriter = null;
  }

  /** Makes a waiting writer look again. From any thread. */
  void wakeWriter() {
    Thread writer = waitingWriter;
    if (writer != null) {
      LockSupport.unpark(writer);
    }
  }

  private @Nullable Revision consumerRevision() {
    HistoryConsumer current = consumer;
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
            || time.nanoTime() - next.receivedNanos() > CacheSettings.ConsumerLag.MAX_LAG_NANOS);
  }
}
