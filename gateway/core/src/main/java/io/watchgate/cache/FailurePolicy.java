package io.watchgate.cache;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reaction of a {@link Reflector} to failures: whether it waits ({@link RetryWait}), and whether a
 * watch or a list follows. Used by the reflector's thread only.
 *
 * <table>
 * <caption>Reaction to each end of a watch</caption>
 * <tr><td>end after the requested duration</td><td>probe, watch from the same version</td></tr>
 * <tr><td>end before the requested duration, silence</td><td>probe, history proof, watch from the same version; without a
 * wait, unless the watch lasted less than a second and brought no event</td></tr>
 * <tr><td>Transport, Throttled, Unauthorized, Forbidden, ServerError, NotYetReached</td><td>wait (at least Retry-After),
 * probe, history proof, watch from the same version</td></tr>
 * <tr><td>ServerError, four times and for two minutes, while probes are answered</td><td>list; if the list fails, the watch again</td></tr>
 * <tr><td>Malformed</td><td>the same as Transport; the second time since the last success, if probes are answered: list</td></tr>
 * <tr><td>Expired</td><td>list at once; wait before, if no watch worked since the last such list</td></tr>
 * <tr><td>BadRequest, an event out of order</td><td>wait, list</td></tr>
 * <tr><td>a bookmark with a lower version</td><td>the same as Transport</td></tr>
 * <tr><td>TypeGone</td><td>discovery: the type is gone or redefined (if confirmed by a second answer), or not ready yet</td></tr>
 * <tr><td>Unsupported (streaming list)</td><td>paged list, and no streaming list for an hour</td></tr>
 * <tr><td>a third ServerError, NotYetReached or Malformed of streaming lists in a row</td><td>paged lists until one works</td></tr>
 * </table>
 *
 * <p>A list that would end the history is repeated a second later, over another connection. The
 * numbers are in {@link BackoffSettings} and {@link WatchFailureSettings}; {@code
 * KubeSettings.Timeouts.MAX_RETRY_AFTER} of package {@code kube} limits Retry-After.
 */
final class FailurePolicy {
  private static final Logger log = LoggerFactory.getLogger(Reflector.class);

  private final DefinitionCheck definition;
  private final VersionProbe probe;
  private final WatchCache cache;
  private final ReflectorClock.Sleeper sleeper;
  private final CacheMetrics metrics;
  private final CountDownLatch stopped;
  private final RetryWait retryWait;
  private final HistoryContinuity continuity;
  private final WatchFailureCounter failedWatches;
  private final StreamingListPolicy streamingLists;

  /** True if a watch has delivered anything since the last list. */
  private boolean watchSucceeded;

  /** True if the last list followed an expired watch, and no watch has worked since. */
  private boolean listedForExpired;

  /** Reason of the next operation, a list; null if it is a watch from the head. */
  private @Nullable ListReason nextList = ListReason.INITIAL;

  /**
   * @param stopped latch that ends every wait
   */
  FailurePolicy(
      Cluster cluster,
      VersionProbe probe,
      WatchCache cache,
      HistoryContinuity continuity,
      ReflectorClock clock,
      CacheMetrics metrics,
      CountDownLatch stopped) {
    this.probe = probe;
    this.cache = cache;
    this.continuity = continuity;
    this.sleeper = clock.sleeper();
    this.metrics = metrics;
    this.stopped = stopped;
    this.definition = new DefinitionCheck(cluster, cache.definition(), sleeper, stopped);
    this.retryWait = new RetryWait(cache, clock, stopped);
    this.failedWatches = new WatchFailureCounter(clock.time());
    this.streamingLists = new StreamingListPolicy(cache.settings().retries(), clock.time());
  }

  /** Returns the reason of the next operation, a list; null if it is a watch from the head. */
  @Nullable ListReason nextList() {
    return nextList;
  }

  /** Makes the next operation a list. */
  void requestList(ListReason reason) {
    nextList = reason;
    if (reason == ListReason.ROLLBACK) {
      continuity.recordLossAnswer();
    }
  }

  /** Records a list that shows a lost timeline, and waits; the next list decides. */
  void handleLostHistory(Runnable reconnect) throws InterruptedException {
    log.info("{}: a list has an earlier state of the cluster; listing once more", type());
    continuity.recordLossAnswer();
    reconnect.run();
    sleeper.await(stopped, HistoryProofSettings.CONFIRMATION_DELAY);
  }

  boolean canStreamLists() {
    return !continuity.isLossSeen() && streamingLists.isAllowed();
  }

  /** Records that a list was published; {@code first} if there was no state before. */
  void recordList(boolean first) {
    nextList = null;
    cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.WATCHING));
    retryWait.recordList();
    if (first || watchSucceeded) { // otherwise lists follow lists, and that requires waits
      retryWait.reset();
    }
    watchSucceeded = false;
    streamingLists.recordList();
    failedWatches.reset();
    continuity.recordList();
  }

  /** Records that a watch delivered something. */
  void recordSuccess() {
    retryWait.recordSuccess();
    failedWatches.reset();
    watchSucceeded = true;
    listedForExpired = false;
    cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.WATCHING));
  }

  /**
   * Reacts to a watch that contradicts the cached state: by a list, after a wait because the server
   * may send the same again. After a lower version, a probe decides whether a list follows.
   * Unreadable data is treated as any failure.
   */
  void handleContradiction(WatchApplier.Contradiction contradiction) throws InterruptedException {
    log.warn("{}: {}", type(), contradiction.message());
    var failure = new UpstreamFailure.Malformed(contradiction.message());
    switch (contradiction.kind()) {
      case UNREADABLE -> handleFailure(failure);
      case LOWER_VERSION -> { // the server may lag
        metrics.listOrWatchEnded(ListReason.ROLLBACK.label());
        continuity.markInDoubt();
        retryWait.await(failure);
        var _ = probe();
      }
      case OUT_OF_ORDER -> {
        metrics.listOrWatchEnded(ListReason.ORDER.label());
        nextList = ListReason.ORDER;
        retryWait.await(failure);
      }
    }
  }

  /**
   * Ends the cache if its custom type was redefined. The known definition may be half a minute old,
   * and a redefinition may be the reason of a relist.
   */
  void refreshDefinition() throws InterruptedException {
    if (cache.definition().isCustom()
        && definition.confirmed() instanceof Cluster.Found found
        && definition.isRedefined(found)) {
      endRedefined(null);
    }
  }

  void handleFailure(UpstreamFailure failure) throws InterruptedException {
    boolean watching = nextList == null;
    metrics.listOrWatchEnded(failure.getClass().getSimpleName());
    if (watching) {
      continuity.markInDoubt();
    } else if (canStreamLists() && streamingLists.givesUpAfter(failure)) {
      log.info("{}: streaming lists fail; listing page by page until that works", type());
    }
    switch (failure) {
      case UpstreamFailure.Expired f -> handleExpired(watching, f);
      case UpstreamFailure.BadRequest f -> {
        if (watching) {
          listNext(ListReason.REFUSED, f);
        }
        retryWait.await(f);
      }
      case UpstreamFailure.Unsupported f -> {
        streamingLists.pause();
        log.info("{}: no streaming list here ({}); listing page by page", type(), f.message());
        if (watching) {
          nextList = ListReason.REFUSED;
        }
      }
      case UpstreamFailure.TypeGone f -> handleTypeGone(f);
      case UpstreamFailure.Malformed _,
          UpstreamFailure.ServerError _,
          UpstreamFailure.Throttled _,
          UpstreamFailure.NotYetReached _,
          UpstreamFailure.Unauthorized _,
          UpstreamFailure.Forbidden _,
          UpstreamFailure.Transport _ -> {
        if (!watching && nextList == ListReason.ERRORS) {
          nextList = null; // a watch can still continue from the cached state
          failedWatches.reset();
        }
        retryWait.await(failure);
        if (watching && probe() && nextList == null) {
          ListReason suspected = failedWatches.recordFailure(failure);
          if (suspected != null) {
            listNext(suspected, failure);
          }
        }
      }
    }
  }

  private void listNext(ListReason reason, UpstreamFailure failure) {
    nextList = reason;
    log.info("{}: listing again: {}", type(), failure.message());
  }

  /**
   * Lists at once after an expired watch, however long the waits were before: the apiserver
   * answers. Waits first if a list failed, or if a list follows another list.
   */
  private void handleExpired(boolean watching, UpstreamFailure failure)
      throws InterruptedException {
    if (watching) {
      listNext(ListReason.EXPIRED, failure);
      if (!listedForExpired) {
        listedForExpired = true;
        retryWait.reset();
        return;
      }
    }
    retryWait.await(failure);
  }

  /**
   * Probes the version of the apiserver between two watches; returns whether the probe was
   * answered. A watch from a version that the apiserver has not reached is silent until it has.
   * After the cluster was restored from a backup, this silence could last for hours and hide
   * changes. A consistent list of one object detects this. Without an answer the state is in doubt.
   */
  boolean probe() throws InterruptedException {
    Revision head = cache.head();
    if (stopped.getCount() == 0 || head == null) {
      return false;
    }
    VersionProbe.Outcome outcome = probe.probe(head);
    switch (outcome) {
      case VersionProbe.Behind _ -> requestList(ListReason.ROLLBACK);
      case VersionProbe.Failed _ -> continuity.markInDoubt();
      case VersionProbe.Answered _ -> {}
    }
    return !(outcome instanceof VersionProbe.Failed);
  }

  private void handleTypeGone(UpstreamFailure.TypeGone failure) throws InterruptedException {
    switch (definition.confirmed()) {
      case Cluster.Unknown _ -> {
        log.info("{}: the apiserver does not serve it any more", type());
        cache.setUpstreamState(new UpstreamState(UpstreamState.ReflectorPhase.GONE, failure));
      }
      case Cluster.Found found when definition.isRedefined(found) -> endRedefined(failure);
      // The type is known, but its handler is not ready. Or discovery fails, and nothing is proven.
      case Cluster.Found found -> retryWait.await(failure);
      case Cluster.Unavailable unavailable -> retryWait.await(unavailable.failure());
    }
  }

  private void endRedefined(@Nullable UpstreamFailure failure) {
    log.info("{}: was redefined; its streams end, and resume with the new definition", type());
    cache.setUpstreamState(new UpstreamState(UpstreamState.ReflectorPhase.REDEFINED, failure));
  }

  private ApiResource type() {
    return cache.definition().type();
  }
}
