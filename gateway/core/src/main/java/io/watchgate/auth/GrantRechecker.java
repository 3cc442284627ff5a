package io.watchgate.auth;

import io.watchgate.cache.TimeSource;
import io.watchgate.error.AccessErrors;
import io.watchgate.error.ApiException;
import io.watchgate.select.CompiledSelection;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scheduler that re-checks the grants of open streams on a timer and after changes of roles ({@link
 * AuthSettings.Rechecks}); see the package. Thread-safe.
 */
final class GrantRechecker {
  private static final Logger log = LoggerFactory.getLogger(GrantRechecker.class);
  private static final long TICK_MS = 250;

  private static final long MIN_CHANGE_INTERVAL_NANOS =
      AuthSettings.Rechecks.MIN_CHANGE_INTERVAL.toNanos();

  private final Authenticator authenticator;
  private final Authorizer authorizer;
  private final AuthSettings.Rechecks settings;
  private final TimeSource time;
  private final Executor threads;
  private final DoubleSupplier random;
  private final AuthMetrics metrics;
  private final RecheckQueue queue =
      new RecheckQueue(AuthSettings.Rechecks.MAX_WORKERS - AuthSettings.Rechecks.MAX_WORKERS / 4);
  private final AtomicInteger workers = new AtomicInteger();
  private final ConcurrentMap<ActiveGrant.Key, ActiveGrant> grants = new ConcurrentHashMap<>();

  /**
   * Subjects to re-check regardless of the timer, by the time of the re-check, in {@code nanoTime}.
   */
  private final ConcurrentNavigableMap<Long, AffectedSubjects> due =
      new ConcurrentSkipListMap<>((a, b) -> Long.signum(a - b));

  private long lastChange;

  /**
   * Creates a rechecker.
   *
   * @param threads runs the workers, at most {@link AuthSettings.Rechecks#MAX_WORKERS}; a worker
   *     re-checks grants until the queue is empty
   * @param random from 0 to 1; spreads the re-checks of streams that were opened together
   */
  GrantRechecker(
      Authenticator authenticator,
      Authorizer authorizer,
      AuthSettings.Rechecks settings,
      TimeSource time,
      Executor threads,
      DoubleSupplier random,
      AuthMetrics metrics) {
    this.authenticator = authenticator;
    this.authorizer = authorizer;
    this.settings = settings;
    this.time = time;
    this.threads = threads;
    this.random = random;
    this.metrics = metrics;
    this.lastChange = time.nanoTime() - MIN_CHANGE_INTERVAL_NANOS;
  }

  /** Starts the timer; the re-checks end with it. */
  void start(ScheduledExecutorService timer) {
    var _ = timer.scheduleWithFixedDelay(this::tick, TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** Runs everything that depends on the clock alone, without waiting for the apiserver. */
  private synchronized void tick() {
    Instant instant = time.now();
    long now = time.nanoTime();
    Duration longest = settings.grace().plus(AuthSettings.Rechecks.QUEUE_ALLOWANCE);
    AffectedSubjects concerned =
        now - lastChange >= MIN_CHANGE_INTERVAL_NANOS ? takeDue(now) : AffectedSubjects.NONE;
    if (!concerned.equals(AffectedSubjects.NONE)) {
      lastChange = now;
      authorizer.invalidate(concerned); // streams opened now get a new review, too
    }
    for (ActiveGrant grant : grants.values()) {
      if (grant.isRevoked()) {
        continue;
      }
      if (grant.isExpired(instant)) {
        grant.revoke(AccessErrors.streamCredentialsExpired());
        continue;
      }
      grant.requestReauthenticationIfDue(instant);
      Long since = grant.unansweredSince;
      if (since != null && now - since >= longest.toNanos()) {
        grant.revoke(AccessErrors.notRechecked(AccessErrors.NOT_ANSWERED_YET));
      } else if (grant.nextCheck - now <= 0 || concerned.contains(grant.caller.identity())) {
        enqueue(grant, now);
      }
    }
    startWorkers();
  }

  private void enqueue(ActiveGrant grant, long now) {
    grant.nextCheck = now + settings.interval().toNanos(); // until the re-check has set it
    if (grant.unansweredSince == null) {
      grant.unansweredSince = now;
    }
    queue.request(grant, now);
  }

  /** One stream's share of a grant. */
  final class GrantHandle implements AutoCloseable {
    private final ActiveGrant grant;
    private final GrantListener listener;

    private GrantHandle(ActiveGrant grant, GrantListener listener) {
      this.grant = grant;
      this.listener = listener;
    }

    /** Records that the first check was answered with yes. */
    void onAllowed() {
      grant.isAllowed = true;
    }

    /** Removes the stream from the grant; a second call does nothing. */
    @Override
    public void close() {
      grants.computeIfPresent(
          grant.key(), (key, known) -> known == grant && known.remove(listener) ? null : known);
    }
  }

  /**
   * Registers a listener that is notified if the grant is revoked. The caller must check the access
   * after this call: the listener is then notified of changes in between, too.
   */
  GrantHandle register(Caller caller, CompiledSelection selection, GrantListener listener) {
    ActiveGrant grant =
        grants.compute(
            new ActiveGrant.Key(caller, selection),
            (key, known) -> {
              ActiveGrant held =
                  known == null || known.isRevoked()
                      ? new ActiveGrant(key, time.reading(), nextCheck())
                      : known;
              held.add(listener, time.now());
              return held;
            });
    return new GrantHandle(grant, listener);
  }

  /** Returns the time of the next re-check, between 0.9 and 1.1 of the interval from now. */
  private long nextCheck() {
    double factor = 0.9 + 0.2 * random.getAsDouble();
    return time.nanoTime() + (long) (settings.interval().toNanos() * factor);
  }

  /**
   * Schedules re-checks of the subjects that a changed binding names, before or after its change,
   * or that are bound to a changed role.
   */
  void onRolesChanged(AffectedSubjects concerned) {
    long now = time.nanoTime();
    for (Duration after : AuthSettings.Rechecks.DELAYS_AFTER_CHANGE) {
      // Rounded, so that a thousand changes within a second do not cause a thousand reviews.
      long dueTime =
          after.isZero()
              ? now
              : (now + after.toNanos() + MIN_CHANGE_INTERVAL_NANOS)
                  / MIN_CHANGE_INTERVAL_NANOS
                  * MIN_CHANGE_INTERVAL_NANOS;
      due.merge(dueTime, concerned, AffectedSubjects::plus);
    }
    tick();
  }

  /** Removes and returns the subjects whose re-check is due. */
  private AffectedSubjects takeDue(long now) {
    AffectedSubjects all = AffectedSubjects.NONE;
    for (Long dueTime : due.headMap(now, true).keySet()) {
      AffectedSubjects removed = due.remove(dueTime);
      all = removed == null ? all : all.plus(removed);
    }
    return all;
  }

  private void startWorkers() {
    for (int running = workers.get();
        running < AuthSettings.Rechecks.MAX_WORKERS;
        running = workers.get()) {
      ActiveGrant grant = queue.poll();
      if (grant == null) {
        return;
      }
      workers.incrementAndGet();
      try {
        threads.execute(() -> runWorker(grant));
      } catch (RejectedExecutionException e) {
        log.debug("no more re-checks: the gateway shuts down", e);
        return;
      }
    }
  }

  private void runWorker(ActiveGrant first) {
    try {
      for (ActiveGrant grant = first; grant != null; grant = queue.poll()) {
        try {
          check(grant, grant.requestedAt);
        } finally {
          queue.done(grant);
        }
      }
    } finally {
      workers.decrementAndGet();
    }
  }

  private void check(ActiveGrant grant, long since) {
    if (grant.isRevoked() || !grant.hasListeners()) {
      return;
    }
    try {
      Caller known = authenticator.reauthenticate(grant.caller, since);
      Optional<AccessAttributes> denied =
          authorizer.deniedSince(since, known.identity(), grant.accesses());
      grant.caller = known;
      grant.unansweredSince = null;
      grant.nextCheck = nextCheck();
      if (denied.isPresent()) {
        grant.revoke(AccessErrors.revoked(known.user(), denied.get().text()));
        metrics.rechecked(
            AuthMetrics.Answer.NO, known.user()); // after the streams have been notified
      } else {
        grant.isAllowed = true;
        metrics.rechecked(AuthMetrics.Answer.YES, known.user());
      }
    } catch (ApiException e) {
      metrics.rechecked(AuthMetrics.Answer.NO, grant.caller.user());
      grant.revoke(e.error());
    } catch (ReviewUnavailableException e) {
      metrics.rechecked(AuthMetrics.Answer.NONE, grant.caller.user());
      onUnanswered(grant, since, String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.error("re-checking a grant failed", e);
      onUnanswered(grant, since, AccessErrors.RECHECK_FAILED);
    }
  }

  private void onUnanswered(ActiveGrant grant, long requestedAt, String reason) {
    Long first = grant.unansweredSince;
    long since = first == null ? requestedAt : first;
    long left = settings.grace().toNanos() - (requestedAt - since);
    if (left <= 0) {
      grant.revoke(AccessErrors.notRechecked(reason));
    } else {
      grant.nextCheck =
          requestedAt + Math.min(left, AuthSettings.Rechecks.RETRY_INTERVAL.toNanos());
    }
  }

  /** Passes the state of each grant to a consumer. */
  void forEachState(Consumer<GrantState> states) {
    TimeSource.Reading now = time.reading();
    grants.values().forEach(grant -> states.accept(grant.state(now)));
  }

  /** Returns the number of grants. */
  int grantCount() {
    return grants.size();
  }
}
