package io.watchgate.cache;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wait of a {@link Reflector} before it tries again: its growing backoff ({@link BackoffSettings}),
 * what it logs, and the state of the list-watch meanwhile. Used by the reflector's thread only.
 */
final class RetryWait {
  private static final Logger log = LoggerFactory.getLogger(Reflector.class);

  private final WatchCache cache;
  private final Duration cap;
  private final Backoff backoff;
  private final ReflectorClock.Sleeper sleeper;
  private final CountDownLatch stopped;

  /** True if nothing was received since the watch was interrupted. */
  private boolean interrupted;

  /** True if a missing permission of the gateway was logged. */
  private boolean refusalLogged;

  /**
   * @param stopped latch that ends the wait
   */
  RetryWait(WatchCache cache, ReflectorClock clock, CountDownLatch stopped) {
    BackoffSettings settings = cache.settings().retries();
    this.cache = cache;
    this.cap = settings.cap();
    this.backoff = new Backoff(settings.base(), cap, clock.random());
    this.sleeper = clock.sleeper();
    this.stopped = stopped;
  }

  /** Records the failure as the state of the list-watch, and waits. */
  void await(UpstreamFailure failure) throws InterruptedException {
    UpstreamState.ReflectorPhase phase =
        cache.head() == null
            ? UpstreamState.ReflectorPhase.LOADING
            : UpstreamState.ReflectorPhase.DISCONNECTED;
    int failures = backoff.failures();
    cache.setFailedAttempts(failures + 1);
    cache.setUpstreamState(new UpstreamState(phase, failure));
    interrupted = true;
    boolean lasts = failure.needsAdministrator() && failures >= BackoffSettings.LASTING_AFTER;
    Duration wait = backoff.next(lasts ? cap : failure.retryAfter());
    if (failures == BackoffSettings.LASTING_AFTER && !failure.needsAdministrator()) {
      log.warn(
          "{}: {}; failed {} times, and nothing newer is served until a request succeeds;"
              + " trying again",
          type(),
          failure.message(),
          failures + 1);
    } else if (!failure.needsAdministrator()) {
      log.info("{}: {}; trying again in {} ms", type(), failure.message(), wait.toMillis());
    } else if (!refusalLogged) {
      refusalLogged = true;
      log.warn("{}: {}. {} Retrying.", type(), failure.message(), failure.remedy(type()));
    }
    sleeper.await(stopped, wait);
  }

  /** Makes the next wait a short one. */
  void reset() {
    backoff.reset();
  }

  /** Records that a list was published. The next wait stays as long as it would have been. */
  void recordList() {
    interrupted = false;
    logAccessRestored();
  }

  /** Records that a watch delivered something. */
  void recordSuccess() {
    if (interrupted) {
      log.info("{}: watching again, nothing was missed", type());
    }
    interrupted = false;
    backoff.reset();
    logAccessRestored();
  }

  private void logAccessRestored() {
    if (refusalLogged) {
      refusalLogged = false;
      log.info("{}: access was granted; reading again", type());
    }
  }

  private ApiResource type() {
    return cache.definition().type();
  }
}
