package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * Backpressure limit: maximum distance between the writer and the cache's {@link HistoryConsumer}.
 * The consumer may be set on any thread; the writer reads it.
 */
final class ConsumerLagLimit {
  private static final long MOST_BYTES = 16 << 20;
  private static final long LEAST_BYTES = 1 << 20;
  private static final long NANOS = 1_000_000_000;

  private final TimeSource time;
  private final long bytes;
  private volatile @Nullable HistoryConsumer follower;

  /**
   * @param historyBytes size limit of history; the consumer may lag by a quarter of it, 1 to 16 MiB
   */
  ConsumerLagLimit(TimeSource time, long historyBytes) {
    this.time = time;
    this.bytes = Math.clamp(historyBytes / 4, LEAST_BYTES, MOST_BYTES);
  }

  /** Sets the consumer; null for none. */
  void follower(@Nullable HistoryConsumer next) {
    follower = next;
  }

  private @Nullable Revision at() {
    HistoryConsumer current = follower;
    return current == null ? null : current.at();
  }

  /** Returns the number of the first revision that has to be kept for the consumer. */
  long firstKept() {
    Revision at = at();
    return at == null ? Long.MAX_VALUE : at.number();
  }

  /**
   * Returns whether the consumer is so far behind {@code head} that the writer must not read more.
   */
  boolean isExceeded(@Nullable Revision head) {
    Revision at = at();
    Revision next = at == null ? null : at.next();
    return at != null
        && head != null
        && next != null
        && (head.superseded() - at.superseded() > bytes
            || time.nanoTime() - next.receivedNanos() > NANOS);
  }
}
