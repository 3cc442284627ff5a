package io.watchgate.cache;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic version probe beside the watch: a consistent list of one object that returns the current
 * version of a type. {@link StateProofs} derives the age of the state from the answers. The probe
 * has its own thread, because the reflector's thread blocks in the watch. The answers change no
 * state. The probe also runs the {@link IdlePositionRefresher} of a quiet type.
 *
 * <p>Each type has its own period, up to a quarter longer or shorter than {@link
 * CacheSettings.Checks#probeEvery}, so that types and replicas do not ask at the same moment. While
 * requests fail the interval grows, up to one minute, so that streams with a staleness limit notice
 * the end of an outage in time.
 */
final class PeriodicProbe {
  private static final Logger log = LoggerFactory.getLogger(PeriodicProbe.class);

  /** Longest interval while probes fail. */
  private static final Duration MAX_WAIT = Duration.ofMinutes(1);

  private final VersionProbe probe;
  private final IdlePositionRefresher positionRefresher;
  private final WatchCache cache;
  private final ReflectorCommands commands;
  private final ReflectorClock.Sleeper sleeper;
  private final CountDownLatch stopped;
  private final Duration period;

  /**
   * Creates a probe with a random period.
   *
   * @param every approximate interval of the probes
   * @param stopped latch that ends the probe
   */
  PeriodicProbe(
      VersionProbe probe,
      IdlePositionRefresher positionRefresher,
      WatchCache cache,
      ReflectorCommands commands,
      Duration every,
      ReflectorClock clock,
      CountDownLatch stopped) {
    this.probe = probe;
    this.positionRefresher = positionRefresher;
    this.cache = cache;
    this.commands = commands;
    this.sleeper = clock.sleeper();
    this.stopped = stopped;
    this.period = clock.jittered(every);
  }

  /** Probes until it is stopped. */
  void run() {
    try {
      Duration wait = period;
      int failures = 0;
      for (sleeper.await(stopped, wait); stopped.getCount() > 0; sleeper.await(stopped, wait)) {
        UpstreamFailure failure = probeIfWatched();
        failures = failure == null ? 0 : failures + 1;
        wait = failure == null ? period : waitAfter(failure, failures);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration waitAfter(UpstreamFailure failure, int failures) {
    Duration doubled = period.multipliedBy(1L << Math.min(failures, 10));
    Duration wait = doubled.compareTo(MAX_WAIT) < 0 ? doubled : MAX_WAIT;
    return Collections.max(List.of(wait, period, failure.retryAfter()));
  }

  /**
   * Skips the probe while there is no watch: then the reflector probes as soon as the apiserver
   * answers.
   */
  private @Nullable UpstreamFailure probeIfWatched() throws InterruptedException {
    Revision head = cache.head();
    if (head == null || cache.upstreamState().phase() != UpstreamState.ReflectorPhase.WATCHING) {
      return null;
    }
    try {
      return failureOf(probe.probe(head), head);
    } catch (RuntimeException e) {
      // Continues after any failure: otherwise staleness would grow without a logged reason.
      if (stopped.getCount() > 0) {
        log.error("{}: a probe failed", cache.definition().type(), e);
      }
      return new UpstreamFailure.Transport("a probe failed");
    }
  }

  private @Nullable UpstreamFailure failureOf(VersionProbe.Outcome outcome, Revision head) {
    return switch (outcome) {
      case VersionProbe.Answered _ -> {
        positionRefresher.refreshIfIdle(head);
        yield null;
      }
      case VersionProbe.Behind(ResourceVersion version, ResourceVersion held) -> {
        // A watch from a version that no longer exists is silent until that version exists again.
        log.warn(
            "{}: the apiserver is at version {}, and was at {} before",
            cache.definition().type(),
            version,
            held);
        commands.relist(ListReason.ROLLBACK, head);
        yield null;
      }
      case VersionProbe.Failed(UpstreamFailure failure) -> {
        log.debug("{}: {}", cache.definition().type(), failure.message());
        yield failure;
      }
    };
  }
}
