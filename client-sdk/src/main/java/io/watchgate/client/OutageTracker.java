package io.watchgate.client;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The times in which a watch has no stream: each from its first interruption to the stream that
 * goes on. Used by the watch's owner, not thread-safe.
 */
final class OutageTracker {
  /** Wait at least this long where only an administrator can help. */
  static final Duration FORBIDDEN = Duration.ofSeconds(10);

  private final Scheduler timers;
  private final Backoff backoff;
  private final RetryBudget budget;
  private final Duration firstAnswerTimeout;
  private @Nullable Outage present;

  /** Time of the first answer that may be of a wrong address; empty: none came. */
  private OptionalLong wrongSince = OptionalLong.empty();

  private record Outage(Interruption cause, Optional<Position> last, long since, int attempts) {}

  OutageTracker(ClientContext client) {
    this.timers = client.timers();
    this.backoff = Backoff.ofStreams(client.random());
    this.budget = client.budget();
    this.firstAnswerTimeout = client.firstAnswerTimeout();
  }

  /** True while the watch has no stream. */
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
   * The error that ends the watch, if it has tried for long enough: only servers that are no
   * gateway have answered.
   *
   * @param answered whether a gateway ever answered this client
   */
  Optional<WatchError> giveUp(Interruption cause, boolean answered) {
    if (answered
        || !(cause instanceof Interruption.Failed failed)
        || !failed.error().mayBeWrongAddress()) {
      return Optional.empty();
    }
    long now = timers.nanoTime();
    long since = wrongSince.orElse(now);
    wrongSince = OptionalLong.of(since);
    Duration tried = Duration.ofNanos(now - since);
    return tried.compareTo(firstAnswerTimeout) < 0
        ? Optional.empty()
        : Optional.of(failed.error().noGateway(tried));
  }

  /**
   * The wait before the next attempt.
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
    Duration wait = backoff.next(atLeast(cause, elsewhere));
    Outage now = present;
    return now != null && now.attempts > 1 ? budget.reserve(wait) : wait;
  }

  private static Duration atLeast(Interruption cause, boolean elsewhere) {
    if (!(cause instanceof Interruption.Failed failed)) {
      return Duration.ZERO;
    }
    Duration asked = failed.error().retryAfter();
    if (failed.error().reason().equals("UPSTREAM_FORBIDDEN")) {
      return asked.compareTo(FORBIDDEN) < 0 ? FORBIDDEN : asked; // replicas have one account
    }
    return elsewhere ? Duration.ZERO : asked;
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
