package io.watchgate.cache;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic question to the apiserver, beside the watch, how far a type has come: a consistent list
 * of one object. {@link StalenessTracker} knows from the answers how old a state may be. It runs on
 * a thread of its own, since the reflector's waits for the watch. What it is told changes no state.
 * It also looks after the position of a type that is quiet ({@link IdlePositionRefresher}).
 *
 * <p>Each has a period of its own, up to a quarter longer or shorter than asked for, so that types
 * and replicas do not ask in step. While requests fail it asks less often, but each minute, so that
 * streams with a bound of staleness see the end of an outage in time.
 */
final class PeriodicProbe {
  private static final Logger log = LoggerFactory.getLogger(PeriodicProbe.class);

  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final VersionProbe probe;
  private final IdlePositionRefresher quiet;
  private final WatchCache cache;
  private final ReflectorCommands demands;
  private final Sleeper waiting;
  private final CountDownLatch stopped;
  private final Duration period;

  /**
   * Draws its period.
   *
   * @param every how often to ask, about
   * @param stopped ends it
   */
  PeriodicProbe(
      VersionProbe probe,
      IdlePositionRefresher quiet,
      WatchCache cache,
      ReflectorCommands demands,
      Duration every,
      ReflectorClock pace,
      CountDownLatch stopped) {
    this.probe = probe;
    this.quiet = quiet;
    this.cache = cache;
    this.demands = demands;
    this.waiting = pace.waiting();
    this.stopped = stopped;
    this.period = pace.around(every);
  }

  /** Returns once it is stopped. */
  void run() {
    try {
      Duration wait = period;
      int failures = 0;
      for (waiting.await(stopped, wait); stopped.getCount() > 0; waiting.await(stopped, wait)) {
        UpstreamFailure failure = askIfWatched();
        failures = failure == null ? 0 : failures + 1;
        wait = failure == null ? period : after(failure, failures);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration after(UpstreamFailure failure, int failures) {
    Duration doubled = period.multipliedBy(1L << Math.min(failures, 10));
    Duration wait = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    return Collections.max(List.of(wait, period, failure.retryAfter()));
  }

  /** While it is not watched the reflector asks, as soon as there is somebody to ask. */
  private @Nullable UpstreamFailure askIfWatched() throws InterruptedException {
    Revision head = cache.head();
    if (head == null || cache.upstream().phase() != UpstreamState.Phase.WATCHING) {
      return null;
    }
    try {
      return failureOf(probe.ask(head), head);
    } catch (RuntimeException e) {
      // Whatever happens, it asks again: else staleness would grow, and nothing would say why.
      if (stopped.getCount() > 0) {
        log.error("{}: a probe failed", cache.definition().type(), e);
      }
      return new UpstreamFailure.Transport("a probe failed");
    }
  }

  private @Nullable UpstreamFailure failureOf(VersionProbe.Outcome outcome, Revision head) {
    return switch (outcome) {
      case VersionProbe.Answered _ -> {
        quiet.look(head);
        yield null;
      }
      case VersionProbe.Behind(ResourceVersion version, ResourceVersion held) -> {
        // A watch from a version that is no more would be silent until there is one again.
        log.warn(
            "{}: the apiserver is at version {}, and was at {} before",
            cache.definition().type(),
            version,
            held);
        demands.relist("rollback", head);
        yield null;
      }
      case VersionProbe.Failed(UpstreamFailure failure) -> {
        log.debug("{}: {}", cache.definition().type(), failure.message());
        yield failure;
      }
    };
  }
}
