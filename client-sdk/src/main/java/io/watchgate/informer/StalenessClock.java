package io.watchgate.informer;

import io.watchgate.client.WatchUpdate;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How old what is held may be: what the gateway said of itself, by its own clock, and the time
 * since then by ours. No two clocks are compared. Thread-safe.
 */
final class StalenessClock {
  /** Of what is older nobody knows how old it is. */
  private static final Duration LONGEST = Duration.ofDays(365);

  private final LongSupplier nanoTime;
  private volatile @Nullable Word last;

  private record Word(long staleNanos, long heardNanos) {}

  StalenessClock(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void hear(Duration staleness) {
    Duration known = staleness.compareTo(LONGEST) < 0 ? staleness : LONGEST;
    last = new Word(known.isNegative() ? 0 : known.toNanos(), nanoTime.getAsLong());
  }

  /** Of a bookmark with both times, and with a position: else it says nothing of what is held. */
  void hear(WatchUpdate.Bookmark bookmark) {
    bookmark.age().ifPresent(this::hear);
  }

  /** Empty: nothing is known yet. */
  Optional<Duration> staleness() {
    Word word = last;
    return word == null
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(word.staleNanos + nanoTime.getAsLong() - word.heardNanos));
  }
}
