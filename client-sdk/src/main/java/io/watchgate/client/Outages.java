package io.watchgate.client;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The times in which a watch has no stream: each from its first interruption to the stream that
 * goes on. Used by the watch's owner, not thread-safe.
 */
final class Outages {
  private final Timers timers;
  private final Backoff backoff;
  private final AttemptBudget budget;
  private @Nullable Outage present;

  private record Outage(Interruption cause, Optional<Position> last, long since, int attempts) {}

  Outages(CallEnvironment client) {
    this.timers = client.timers();
    this.backoff = Backoff.ofStreams(client.random());
    this.budget = client.budget();
  }

  /** Whether there is one. */
  boolean isOne() {
    return present != null;
  }

  /**
   * A stream was interrupted, or did not come about.
   *
   * @param last where the listener is
   * @return how often that happened since it had a stream
   */
  int add(Interruption cause, Optional<Position> last) {
    Outage before = present;
    Outage now =
        before == null
            ? new Outage(cause, last, timers.nanoTime(), 1)
            : new Outage(before.cause, before.last, before.since, before.attempts + 1);
    present = now;
    return now.attempts;
  }

  /**
   * How long to wait for the next attempt.
   *
   * @param elsewhere another replica may do better: what this one asked for in the way of waiting
   *     does not hold there
   */
  Duration delay(Interruption cause, boolean elsewhere) {
    if (cause instanceof Interruption.GoingAway goingAway) {
      return backoff.within(goingAway.within());
    }
    if (cause instanceof Interruption.Failed failed
        && failed.error().reason().equals("REBALANCING")
        && elsewhere) {
      return backoff.within(failed.error().retryAfter()); // the other one waits for it
    }
    Duration atLeast =
        cause instanceof Interruption.Failed failed && !elsewhere
            ? failed.error().retryAfter()
            : Duration.ZERO;
    Duration wait = backoff.next(atLeast);
    Outage now = present;
    return now != null && now.attempts > 1 ? budget.reserve(wait) : wait;
  }

  /** The watch got ahead: the next attempt is made soon again. */
  void forgive() {
    backoff.reset();
  }

  /** A stream goes on; empty: it had never stopped. */
  Optional<WatchUpdate> end(WatchUpdate.Continuation continuation) {
    Outage ended = present;
    present = null;
    return ended == null
        ? Optional.empty()
        : Optional.of(
            new WatchUpdate.Reconnected(
                ended.cause,
                ended.attempts,
                Duration.ofNanos(timers.nanoTime() - ended.since),
                continuation,
                ended.last));
  }
}
