package io.watchgate.informer;

import io.watchgate.client.WatchUpdate;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Estimate of the store's staleness: the staleness that the gateway reported by its own clock, plus
 * the time since then by the local clock. Times of different clocks are never compared.
 * Thread-safe.
 */
final class StalenessClock {
  /** Upper bound of a reported staleness. */
  private static final Duration LONGEST = Duration.ofDays(365);

  private final LongSupplier nanoTime;
  private volatile @Nullable Report last;

  private record Report(long stalenessNanos, long receivedNanos) {}

  StalenessClock(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void record(Duration staleness) {
    Duration known = staleness.compareTo(LONGEST) < 0 ? staleness : LONGEST;
    last = new Report(known.isNegative() ? 0 : known.toNanos(), nanoTime.getAsLong());
  }

  /**
   * Records the age of a bookmark that has both times and a position. Other bookmarks do not
   * concern the store's state.
   */
  void record(WatchUpdate.Bookmark bookmark) {
    bookmark.age().ifPresent(this::record);
  }

  /** Returns the staleness; empty if it is unknown. */
  Optional<Duration> staleness() {
    Report report = last;
    return report == null
        ? Optional.empty()
        : Optional.of(
            Duration.ofNanos(report.stalenessNanos + nanoTime.getAsLong() - report.receivedNanos));
  }
}
