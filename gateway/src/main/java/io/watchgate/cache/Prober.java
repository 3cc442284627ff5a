package io.watchgate.cache;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the apiserver now and then, beside the watch, how far a type has come: a consistent list of
 * one object. That is what {@link Freshness} knows how old a state may be from. It runs on a thread
 * of its own, since the reflector's waits for the watch; it never lists, and what it is told
 * changes no state.
 *
 * <p>Each has a period of its own, up to a quarter longer or shorter than asked for, so that types
 * and replicas do not ask in step. While requests fail it asks less often, but each minute, so that
 * streams with a bound of staleness see the end of an outage in time.
 */
final class Prober {
  private static final Logger log = LoggerFactory.getLogger(Prober.class);

  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final Upstream upstream;
  private final WatchCache cache;
  private final CacheMetrics metrics;
  private final Waiting waiting;
  private final CountDownLatch stopped;
  private final Duration period;

  /**
   * Draws its period.
   *
   * @param every how often to ask, about
   * @param stopped ends it
   */
  Prober(
      Upstream upstream,
      WatchCache cache,
      Duration every,
      Pace pace,
      CacheMetrics metrics,
      CountDownLatch stopped) {
    this.upstream = upstream;
    this.cache = cache;
    this.metrics = metrics;
    this.waiting = pace.waiting();
    this.stopped = stopped;
    long nanos = every.toNanos();
    this.period = Duration.ofNanos(nanos - nanos / 4 + pace.random().nextLong(nanos / 2));
  }

  /** Returns once it is stopped. */
  void run() {
    try {
      Duration wait = period;
      int failures = 0;
      for (waiting.await(stopped, wait); stopped.getCount() > 0; waiting.await(stopped, wait)) {
        UpstreamFailure failure = isWatched() ? askOrFail() : null;
        failures = failure == null ? 0 : failures + 1;
        wait = failure == null ? period : after(failure, failures);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Else the reflector asks, as soon as there is somebody to ask. */
  private boolean isWatched() {
    return cache.upstream().phase() == UpstreamState.Phase.WATCHING;
  }

  private Duration after(UpstreamFailure failure, int failures) {
    Duration doubled = period.multipliedBy(1L << Math.min(failures, 10));
    Duration wait = doubled.compareTo(LONGEST) < 0 ? doubled : LONGEST;
    return Collections.max(List.of(wait, period, failure.retryAfter()));
  }

  /** Whatever happens, it asks again: else staleness would grow, and nothing would say why. */
  private @Nullable UpstreamFailure askOrFail() {
    try {
      return ask();
    } catch (RuntimeException e) {
      metrics.probed("failed");
      if (stopped.getCount() > 0) {
        log.error("{}: a probe failed", cache.definition().type(), e);
      }
      return new UpstreamFailure.Transport("a probe failed");
    }
  }

  private @Nullable UpstreamFailure ask() {
    Revision head = cache.head();
    Moment asked = cache.now();
    return switch (upstream.probe()) {
      case Upstream.Listed listed -> {
        take(listed.resourceVersion(), head, asked);
        yield null;
      }
      case Upstream.ListFailed(UpstreamFailure failure) -> {
        metrics.probed("failed");
        if (stopped.getCount() > 0) {
          log.debug("{}: {}", cache.definition().type(), failure.message());
        }
        yield failure;
      }
    };
  }

  private void take(String answer, @Nullable Revision head, Moment asked) {
    ResourceVersion version = ResourceVersion.parse(answer);
    if (version != null && head != null && !head.version().isAfter(version)) {
      metrics.probed("answered");
      cache.answered(version, asked);
      return;
    }
    // The cluster was restored, or this apiserver lags behind another one of the same name. It says
    // nothing of this state; which of the two it is the reflector finds out when the watch ends.
    metrics.probed("behind");
    log.warn(
        "{}: the apiserver is at version {}, and was at {} before",
        cache.definition().type(),
        version,
        head == null ? null : head.version());
  }
}
