package io.watchgate.cache;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Periodic comparison of the state with the apiserver's state at the same version ({@link
 * SameVersionComparison}). An apiserver can lose an event of its watch cache, and nothing else
 * would detect that. If the two differ, the reflector lists again, and subscribers get the
 * difference as a gap. Runs on its own thread.
 *
 * <p>Each type has its own period, up to a quarter longer or shorter than {@link
 * CacheSettings.Checks#selfCheckEvery}, so that types and replicas do not list at the same moment.
 */
final class SelfCheck {
  private static final Logger log = LoggerFactory.getLogger(SelfCheck.class);

  private final SameVersionComparison comparison;
  private final WatchCache cache;
  private final ReflectorCommands commands;
  private final CacheMetrics metrics;
  private final ReflectorClock.Sleeper sleeper;
  private final CountDownLatch stopped;
  private final Duration period;

  /**
   * Creates a self-check with a random period.
   *
   * @param every approximate interval of the comparisons; zero for none
   * @param stopped latch that ends the self-check
   */
  SelfCheck(
      Upstream upstream,
      WatchCache cache,
      ReflectorCommands commands,
      CacheMetrics metrics,
      Duration every,
      ReflectorClock clock,
      CountDownLatch stopped) {
    this.comparison = new SameVersionComparison(upstream, cache, clock.sleeper(), stopped);
    this.cache = cache;
    this.commands = commands;
    this.metrics = metrics;
    this.sleeper = clock.sleeper();
    this.stopped = stopped;
    this.period = clock.jittered(every);
  }

  /** Compares until it is stopped. */
  void run() {
    try {
      while (stopped.getCount() > 0 && !period.isZero()) {
        sleeper.await(stopped, period);
        Revision head = cache.head();
        if (head != null
            && stopped.getCount() > 0
            && cache.upstreamState().phase() == UpstreamState.ReflectorPhase.WATCHING) {
          compare(head);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void compare(Revision held) throws InterruptedException {
    SameVersionComparison.Outcome outcome;
    try {
      outcome = comparison.compare(held);
    } catch (RuntimeException e) {
      if (stopped.getCount() > 0) {
        log.error("{}: a comparison with the apiserver failed", type(), e);
      }
      metrics.selfChecked("failed");
      return;
    }
    metrics.selfChecked(
        switch (outcome) {
          case SameVersionComparison.Equal _ -> "equal";
          case SameVersionComparison.Different _ -> "different";
          case SameVersionComparison.VersionExpired _ -> "expired";
          case SameVersionComparison.OtherVersionListed _ ->
              "failed"; // the apiserver does not support Exact
          case SameVersionComparison.Failed _ -> "failed";
        });
    switch (outcome) {
      case SameVersionComparison.Different difference -> {
        comparison.log(held, difference);
        commands.relist(ListReason.SELF_CHECK, held);
      }
      case SameVersionComparison.Failed(UpstreamFailure failure) ->
          log.debug("{}: not compared: {}", type(), failure.message());
      case SameVersionComparison.Equal _,
          SameVersionComparison.VersionExpired _,
          SameVersionComparison.OtherVersionListed _ -> {}
    }
  }

  private ApiResource type() {
    return cache.definition().type();
  }
}
