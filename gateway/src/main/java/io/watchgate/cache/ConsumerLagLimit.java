package io.watchgate.cache;

import org.jspecify.annotations.Nullable;

/**
 * How far the writer may run ahead of the cache's {@link HistoryConsumer}. Which one it is may be
 * said on any thread; the writer asks.
 */
final class ConsumerLagLimit {
  private static final long MOST_BYTES = 16 << 20;
  private static final long LEAST_BYTES = 1 << 20;
  private static final long NANOS = 1_000_000_000;

  private final TimeSource time;
  private final long bytes;
  private volatile @Nullable HistoryConsumer follower;

  /**
   * @param historyBytes that history may have: a quarter of it, at most 16 MiB, may wait
   */
  ConsumerLagLimit(TimeSource time, long historyBytes) {
    this.time = time;
    this.bytes = Math.clamp(historyBytes / 4, LEAST_BYTES, MOST_BYTES);
  }

  /** Null for nobody. */
  void follower(@Nullable HistoryConsumer next) {
    follower = next;
  }

  private @Nullable Revision at() {
    HistoryConsumer current = follower;
    return current == null ? null : current.at();
  }

  /** The number of the first revision that has to stay for it. */
  long firstKept() {
    Revision at = at();
    return at == null ? Long.MAX_VALUE : at.number();
  }

  /** Whether so much waits to be led on up to {@code head} that nothing more should be read. */
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
