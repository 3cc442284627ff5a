package io.watchgate.fanout;

import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Whether and why a stream is to go on elsewhere. On its owner. */
final class PendingGoAway {
  private final TimeSource time;

  /** When it is old enough to be opened anew elsewhere; 0: never. */
  private final long oldAt;

  private @Nullable GoingAwayNotice departure;

  /**
   * @param age after which it is old, up to a fifth earlier or later than others; zero: never
   */
  PendingGoAway(TimeSource time, Duration age) {
    long nanos = age.toNanos();
    this.time = time;
    this.oldAt =
        nanos == 0
            ? 0
            : time.nanoTime()
                + ThreadLocalRandom.current().nextLong(nanos - nanos / 5, nanos + nanos / 5);
  }

  /** It is to leave as soon as it stands at a position. */
  void because(GoingAwayNotice why) {
    departure = why;
  }

  /** Whoever has everything loses nothing by going on elsewhere. */
  void lookAtAge(Phase phase) {
    if (oldAt != 0 && isCaughtUp(phase) && time.nanoTime() - oldAt > 0) {
      departure = GoingAwayNotice.ofAge();
    }
  }

  /** Why it leaves now; null: it stays, or is in the middle of a group. */
  @Nullable GoingAwayNotice due(Phase phase) {
    return phase.position() != null || phase instanceof StartPhase ? departure : null;
  }

  static boolean isCaughtUp(Phase phase) {
    return phase instanceof LivePhase && !phase.isBehind();
  }
}
