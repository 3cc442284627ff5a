package io.watchgate.cache;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reaction of a {@link Reflector} to failures: the wait, and whether a watch or a list follows.
 * Used by the reflector's thread only.
 *
 * <table>
 * <caption>Reaction to each end of a watch</caption>
 * <tr><td>end at its time</td><td>probe, watch from the same version</td></tr>
 * <tr><td>end before its time, silence</td><td>probe, history proof, watch from the same version; no wait; after
 * less than a second without events only after a wait</td></tr>
 * <tr><td>Transport, Throttled, Unauthorized, Forbidden, ServerError, NotYetReached</td><td>wait (at least Retry-After),
 * probe, history proof, watch from the same version</td></tr>
 * <tr><td>ServerError, four times and for two minutes, while probes are answered</td><td>list; if that fails, the watch again</td></tr>
 * <tr><td>Malformed</td><td>the same as Transport; the second time that a probe is answered: list</td></tr>
 * <tr><td>Expired</td><td>list at once; wait before, if no watch worked since the last such list</td></tr>
 * <tr><td>BadRequest, an event out of order</td><td>wait, list</td></tr>
 * <tr><td>a bookmark that went back</td><td>the same as Transport</td></tr>
 * <tr><td>TypeGone</td><td>ask the discovery: gone or defined anew (if it says so twice), or not ready yet</td></tr>
 * <tr><td>Unsupported (streaming list)</td><td>paged list, and no streaming list for an hour</td></tr>
 * <tr><td>a third ServerError, NotYetReached or Malformed of streaming lists in a row</td><td>paged lists until one works</td></tr>
 * </table>
 *
 * <p>A list that would end the history is made again, a second later, over another connection.
 */
final class FailurePolicy {
  private static final Logger log = LoggerFactory.getLogger(Reflector.class);

  /** Refusals that only an administrator can end, after which each wait is the longest at least. */
  private static final int SHORT_WAITS = 6;

  /** Servers that are none of Kubernetes' own may have lists, and stream none, in many ways. */
  private static final int STREAMING_ATTEMPTS = 3;

  private final Cluster cluster;
  private final VersionProbe probe;
  private final WatchCache cache;
  private final CacheSettings settings;
  private final TimeSource time;
  private final Sleeper waiting;
  private final CacheMetrics metrics;
  private final CountDownLatch stopped;
  private final Backoff backoff;
  private final HistoryContinuity continuity;
  private final WatchFailureCounter failedWatches;
  private long streamingListNotBefore;
  private int streamingFailures;

  /** Whether a watch has brought anything since the last list. */
  private boolean watchWorked;

  /** Whether the last list followed an expired watch, and no watch has worked since. */
  private boolean listedForExpired;

  /** Whether nothing came since the watch was cut. */
  private boolean cut;

  /** Whether it was logged that the gateway lacks a right. */
  private boolean refusalLogged;

  /** Reason of the next step, a list; null: a watch from the head. */
  private @Nullable String listReason = "initial";

  /**
   * @param stopped ends every wait
   */
  FailurePolicy(
      Cluster cluster,
      VersionProbe probe,
      WatchCache cache,
      HistoryContinuity continuity,
      CacheSettings settings,
      ReflectorClock pace,
      CacheMetrics metrics,
      CountDownLatch stopped) {
    this.cluster = cluster;
    this.probe = probe;
    this.cache = cache;
    this.continuity = continuity;
    this.settings = settings;
    this.time = pace.time();
    this.waiting = pace.waiting();
    this.metrics = metrics;
    this.stopped = stopped;
    this.backoff = new Backoff(settings.retries().base(), settings.retries().cap(), pace.random());
    this.failedWatches = new WatchFailureCounter(time);
    this.streamingListNotBefore = time.nanoTime();
  }

  /** Reason of the next step, a list; null: a watch from the head. */
  @Nullable String listReason() {
    return listReason;
  }

  /** The next step is a list. */
  void listFor(String reason) {
    listReason = reason;
    if (reason.equals("rollback")) {
      continuity.lossSeen();
    }
  }

  /** A list says that the history is lost: the next one decides. */
  void lossSeen(Runnable reconnect) throws InterruptedException {
    log.info("{}: a list says that the cluster went back; listing once more", type());
    continuity.lossSeen();
    reconnect.run();
    waiting.await(stopped, StateComparison.ASK_AGAIN);
  }

  boolean mayStreamLists() {
    return !continuity.isLossSeen()
        && streamingFailures < STREAMING_ATTEMPTS
        && time.nanoTime() - streamingListNotBefore >= 0;
  }

  /** A list was taken in; {@code first}: there was nothing before. */
  void listed(boolean first) {
    listReason = null;
    cache.upstream(UpstreamState.of(UpstreamState.Phase.WATCHING));
    cut = false;
    if (first || watchWorked) { // else lists follow on lists, and that calls for waits
      backoff.reset();
    }
    watchWorked = false;
    streamingFailures = 0;
    failedWatches.reset();
    continuity.listed();
    mayReadAgain();
  }

  /** A watch brought something. */
  void works() {
    if (cut) {
      log.info("{}: watching again, nothing was missed", type());
    }
    backoff.reset();
    failedWatches.reset();
    watchWorked = true;
    listedForExpired = false;
    cut = false;
    mayReadAgain();
    cache.upstream(UpstreamState.of(UpstreamState.Phase.WATCHING));
  }

  /** Lists anew, but not at once: the server that sent it may do so again. */
  void violated(WatchApplier.Violation violation) throws InterruptedException {
    log.warn("{}: {}", type(), violation.getMessage());
    var failure = new UpstreamFailure.Malformed(String.valueOf(violation.getMessage()));
    if (violation.reason.equals("malformed")) {
      react(failure);
      return;
    }
    metrics.watchEnded(violation.reason);
    if (violation.reason.equals("rollback")) { // of a server that lags, perhaps
      continuity.doubt();
      pause(failure);
      var _ = probe();
      return;
    }
    listReason = violation.reason;
    pause(failure);
  }

  /**
   * What is known of a custom type may be half a minute old, and a list anew may have its reason in
   * a type that was defined anew: then its cache ends.
   */
  void refreshDefinition() throws InterruptedException {
    if (cache.definition().custom()
        && definitionNow() instanceof Cluster.Found found
        && !cache.definition().covers(found.definition())) {
      definedAnew(null);
    }
  }

  void react(UpstreamFailure failure) throws InterruptedException {
    boolean watching = listReason == null;
    metrics.watchEnded(failure.getClass().getSimpleName());
    if (watching) {
      continuity.doubt();
    } else if (mayStreamLists()) {
      streamingFailed(failure);
    }
    switch (failure) {
      case UpstreamFailure.Expired f -> expired(watching, f);
      case UpstreamFailure.BadRequest f -> {
        if (watching) {
          listNext("refused", f);
        }
        pause(f);
      }
      case UpstreamFailure.Unsupported f -> {
        streamingListNotBefore = time.nanoTime() + settings.retries().streamingList().toNanos();
        log.info("{}: no streaming list here ({}); listing page by page", type(), f.message());
        if (watching) {
          listReason = "refused";
        }
      }
      case UpstreamFailure.TypeGone f -> typeGone(f);
      case UpstreamFailure.Malformed _,
          UpstreamFailure.ServerError _,
          UpstreamFailure.Throttled _,
          UpstreamFailure.NotYetReached _,
          UpstreamFailure.Unauthorized _,
          UpstreamFailure.Forbidden _,
          UpstreamFailure.Transport _ -> {
        if (!watching && "errors".equals(listReason)) {
          listReason = null; // what is held is still to be had by a watch
          failedWatches.reset();
        }
        pause(failure);
        if (watching && probe() && listReason == null) {
          String suspected = failedWatches.listReason(failure);
          if (suspected != null) {
            listNext(suspected, failure);
          }
        }
      }
    }
  }

  private void listNext(String reason, UpstreamFailure failure) {
    listReason = reason;
    log.info("{}: listing anew: {}", type(), failure.message());
  }

  private void streamingFailed(UpstreamFailure failure) {
    boolean isAnswer =
        failure instanceof UpstreamFailure.ServerError
            || failure instanceof UpstreamFailure.NotYetReached
            || failure instanceof UpstreamFailure.Malformed;
    if (isAnswer && ++streamingFailures == STREAMING_ATTEMPTS) {
      log.info("{}: streaming lists fail; listing page by page until that works", type());
    }
  }

  /**
   * After an expired watch the list follows at once, however long the waits were before: the
   * apiserver answers. A list that failed waits, and one that follows on another.
   */
  private void expired(boolean watching, UpstreamFailure failure) throws InterruptedException {
    if (watching) {
      listNext("expired", failure);
      if (!listedForExpired) {
        listedForExpired = true;
        backoff.reset();
        return;
      }
    }
    pause(failure);
  }

  private void pause(UpstreamFailure failure) throws InterruptedException {
    UpstreamState.Phase phase =
        cache.head() == null ? UpstreamState.Phase.LOADING : UpstreamState.Phase.DISCONNECTED;
    cache.upstream(new UpstreamState(phase, failure));
    cut = true;
    boolean lasts = failure.needsAdministrator() && backoff.failures() >= SHORT_WAITS;
    Duration wait = backoff.next(lasts ? settings.retries().cap() : failure.retryAfter());
    if (!failure.needsAdministrator()) {
      log.info("{}: {}; trying again in {} ms", type(), failure.message(), wait.toMillis());
    } else if (!refusalLogged) {
      refusalLogged = true;
      log.warn("{}: {}. {} Trying on.", type(), failure.message(), failure.remedy(type()));
    }
    waiting.await(stopped, wait);
  }

  private void mayReadAgain() {
    if (refusalLogged) {
      refusalLogged = false;
      log.info("{}: the gateway may read it now", type());
    }
  }

  /**
   * Between two watches: one from a version that the apiserver does not have yet is silent until it
   * has. After a restore from a backup that would be for hours, with changes lost. A consistent
   * list of one object tells. Returns whether it was answered; without an answer the state is in
   * doubt.
   */
  boolean probe() throws InterruptedException {
    Revision head = cache.head();
    if (stopped.getCount() == 0 || head == null) {
      return false;
    }
    VersionProbe.Outcome outcome = probe.ask(head);
    switch (outcome) {
      case VersionProbe.Behind _ -> listFor("rollback");
      case VersionProbe.Failed _ -> continuity.doubt();
      case VersionProbe.Answered _ -> {}
    }
    return !(outcome instanceof VersionProbe.Failed);
  }

  private void typeGone(UpstreamFailure.TypeGone failure) throws InterruptedException {
    switch (definitionNow()) {
      case Cluster.Unknown _ -> {
        log.info("{}: the apiserver does not serve it any more", type());
        cache.upstream(new UpstreamState(UpstreamState.Phase.GONE, failure));
      }
      case Cluster.Found found when !cache.definition().covers(found.definition()) -> {
        definedAnew(failure);
      }
      // Known, but its handler is not ready; or the discovery is away, and then nothing is proven.
      case Cluster.Found found -> pause(failure);
      case Cluster.Unavailable unavailable -> pause(unavailable.failure());
    }
  }

  private void definedAnew(@Nullable UpstreamFailure failure) {
    log.info("{}: was defined anew; streams end and find the new one", type());
    cache.upstream(new UpstreamState(UpstreamState.Phase.REDEFINED, failure));
  }

  /**
   * The present definition. That it is gone or another one would end all streams, so it is asked
   * for twice: an apiserver that has just started may not know all of its types yet.
   */
  private Cluster.Resolution definitionNow() throws InterruptedException {
    Cluster.Resolution first = discovered();
    boolean isEnd =
        switch (first) {
          case Cluster.Unknown _ -> true;
          case Cluster.Found found -> !cache.definition().covers(found.definition());
          case Cluster.Unavailable _ -> false;
        };
    if (!isEnd) {
      return first;
    }
    waiting.await(stopped, StateComparison.ASK_AGAIN);
    return stopped.getCount() == 0
        ? new Cluster.Unavailable(new UpstreamFailure.Transport("closed from here"))
        : discovered();
  }

  private Cluster.Resolution discovered() throws InterruptedException {
    ApiResource type = cache.definition().type();
    return cluster.refresh(new TypeReference(type.group(), type.version(), type.resource()));
  }

  private ApiResource type() {
    return cache.definition().type();
  }
}
