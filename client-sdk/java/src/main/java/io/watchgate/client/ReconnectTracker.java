package io.watchgate.client;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Tracker of a watch's outages, which decides how long to wait before the next stream is opened. An
 * outage lasts from the first interruption until a stream continues the watch. Confined to the
 * call's serial executor, not thread-safe.
 */
final class ReconnectTracker {
  /** Minimum wait after an error that only an administrator can fix. */
  static final Duration MIN_FORBIDDEN_WAIT = Duration.ofSeconds(10);

  private final Scheduler timers;
  private final Backoff backoff;
  private final RetryBudget budget;
  private final Duration firstAnswerTimeout;
  private @Nullable Outage current;

  /** Time of the first answer that may come from a wrong address; empty if there was none. */
  private OptionalLong wrongSince = OptionalLong.empty();

  private record Outage(Interruption cause, Optional<Position> last, long since, int attempts) {}

  ReconnectTracker(ClientContext client) {
    this.timers = client.timers();
    this.backoff = new Backoff(client.random(), Backoff.BASE);
    this.budget = client.budget();
    this.firstAnswerTimeout = client.firstAnswerTimeout();
  }

  /** Returns whether the watch is in an outage, that is, has no stream. */
  boolean isInOutage() {
    return current != null;
  }

  /**
   * Records that a stream was interrupted or could not be opened.
   *
   * @param last last position that the listener has reached
   * @return number of interruptions in this outage
   */
  int recordInterruption(Interruption cause, Optional<Position> last) {
    Outage before = current;
    Outage now =
        before == null
            ? new Outage(cause, last, timers.nanoTime(), 1)
            : new Outage(before.cause, before.last, before.since, before.attempts + 1);
    current = now;
    return now.attempts;
  }

  /**
   * Returns the error that ends the watch, if only servers that are not a gateway have answered for
   * {@code firstAnswerTimeout}.
   *
   * @param answered whether a gateway ever answered this client
   */
  Optional<WatchError> finalError(Interruption cause, boolean answered) {
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
   * Returns the wait before the next attempt.
   *
   * @param elsewhere whether another replica may serve the watch; then the wait that this replica
   *     asked for is ignored
   */
  Duration delay(Interruption cause, boolean elsewhere) {
    if (cause instanceof Interruption.GoingAway goingAway) {
      return backoff.jitter(goingAway.within());
    }
    if (cause instanceof Interruption.Failed failed
        && failed.error().reason().equals("REBALANCING")
        && elsewhere) {
      return backoff.jitter(failed.error().retryAfter()); // the other replica expects it by then
    }
    Duration wait = backoff.next(atLeast(cause, elsewhere));
    Outage now = current;
    return now != null && now.attempts > 1 ? budget.reserve(wait) : wait;
  }

  private static Duration atLeast(Interruption cause, boolean elsewhere) {
    if (!(cause instanceof Interruption.Failed failed)) {
      return Duration.ZERO;
    }
    Duration requested = failed.error().retryAfter();
    if (failed.error().reason().equals("UPSTREAM_FORBIDDEN")) {
      return requested.compareTo(MIN_FORBIDDEN_WAIT) < 0
          ? MIN_FORBIDDEN_WAIT
          : requested; // replicas share one account
    }
    return elsewhere ? Duration.ZERO : requested;
  }

  /** Resets the backoff after the watch made progress, so that the next attempt is made soon. */
  void resetBackoff() {
    backoff.reset();
  }

  /** Ends the outage when a stream continues the watch. Returns empty if there was no outage. */
  Optional<WatchUpdate> end(WatchUpdate.Continuation continuation) {
    Outage ended = current;
    current = null;
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
