package io.watchgate.fanout;

import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Pending request to close a stream with a going-away notice, and its maximum age. Used by one
 * event loop.
 */
final class PendingGoAway {
  private final TimeSource time;

  /** Time at which the stream reaches its maximum age; 0: never. */
  private final long expiresAt;

  private @Nullable GoingAwayNotice notice;

  /**
   * @param age maximum age, randomised by up to a fifth in both directions; zero: unlimited
   */
  PendingGoAway(TimeSource time, Duration age) {
    long nanos = age.toNanos();
    this.time = time;
    this.expiresAt =
        nanos == 0
            ? 0
            : time.nanoTime()
                + ThreadLocalRandom.current().nextLong(nanos - nanos / 5, nanos + nanos / 5);
  }

  /** Requests that the stream leaves as soon as it is at a position. */
  void request(GoingAwayNotice why) {
    notice = why;
  }

  /**
   * Requests that a caught-up stream leaves if it is too old. A caught-up stream loses nothing by
   * reconnecting.
   */
  void checkAge(Phase phase) {
    if (expiresAt != 0 && isCaughtUp(phase) && time.nanoTime() - expiresAt > 0) {
      notice = GoingAwayNotice.streamAge();
    }
  }

  /** Returns the notice to send now; null if there is none, or while the stream has no position. */
  @Nullable GoingAwayNotice due(Phase phase) {
    return phase.position() != null || phase instanceof StartPhase ? notice : null;
  }

  static boolean isCaughtUp(Phase phase) {
    return phase instanceof LivePhase && !phase.isBehind();
  }
}
