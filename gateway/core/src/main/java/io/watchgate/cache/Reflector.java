package io.watchgate.cache;

import io.watchgate.json.FieldPaths;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reflector that keeps a {@link WatchCache} equal to the apiserver's state. It makes one list, then
 * watches, each from the end of the last one. It lists again only if it cannot continue correctly
 * otherwise, and publishes the difference from the previous state. It has its own {@link Upstream},
 * one thread, which is the only writer of the cache, and a {@link PeriodicProbe} beside it. {@link
 * FailurePolicy} decides the reaction to failures.
 */
final class Reflector implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Reflector.class);

  /** Metric labels of the end of the last list or watch of a type. */
  private static final String TOO_LARGE = "too_large";

  private static final String UNORDERED = "unordered";

  private final Upstream upstream;
  private final WatchCache cache;
  private final FieldPaths paths;
  private final CacheSettings settings;
  private final TimeSource time;
  private final CacheMetrics metrics;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final ReflectorClock.Sleeper sleeper;
  private final FailurePolicy failurePolicy;
  private final HistoryProof proof;
  private final HistoryContinuity continuity;
  private final ReflectorCommands commands;
  private final Thread thread;
  private final Thread probing;
  private final Thread checking;

  /**
   * @param comparisonPermits limits the number of types that are compared with the apiserver at a
   *     time
   */
  Reflector(
      Cluster cluster,
      WatchCache cache,
      FieldPaths paths,
      ReflectorClock clock,
      CacheMetrics metrics,
      ComparisonPermits comparisonPermits,
      ThreadFactory threads) {
    this.upstream = cluster.open(cache.definition());
    this.cache = cache;
    this.paths = paths;
    this.settings = cache.settings();
    this.time = clock.time();
    this.sleeper = clock.sleeper();
    this.metrics = metrics;
    VersionProbe probe = new VersionProbe(upstream, cache, metrics, sleeper, stopped);
    this.commands = new ReflectorCommands(upstream);
    this.continuity = new HistoryContinuity(cache, time);
    this.failurePolicy =
        new FailurePolicy(cluster, probe, cache, continuity, clock, metrics, stopped);
    this.proof =
        new HistoryProof(upstream, cache, paths, metrics, comparisonPermits, sleeper, stopped);
    this.thread = threads.newThread(this::run);
    thread.setName("reflector-" + type().groupResource());
    PeriodicProbe prober =
        new PeriodicProbe(
            probe,
            new IdlePositionRefresher(upstream, cache, commands),
            cache,
            commands,
            settings.checks().probeEvery(),
            clock,
            stopped);
    this.probing =
        Thread.ofVirtual().name("prober-" + type().groupResource()).unstarted(prober::run);
    SelfCheck check =
        new SelfCheck(
            upstream, cache, commands, metrics, settings.checks().selfCheckEvery(), clock, stopped);
    this.checking =
        Thread.ofVirtual().name("self-check-" + type().groupResource()).unstarted(check::run);
    FreshnessProof freshness =
        new FreshnessProof(
            upstream, probe, cache, settings.checks().freshness(), sleeper, stopped, metrics);
    Backfill backfill = new Backfill(upstream, cache, paths, metrics);
    ThreadFactory lookupThreads =
        Thread.ofVirtual().name("upstream-lookup-" + type().groupResource()).factory();
    Executor lookups = task -> lookupThreads.newThread(task).start();
    cache.setUpstreamLookups(
        new BatchedUpstreamLookups(
            probe,
            cache,
            commands,
            new BatchedBackfills(cache, backfill, metrics, sleeper, lookups, stopped),
            lookups,
            stopped));
    CoalescedLookup<Boolean, Freshness> proofsOfFreshness =
        new CoalescedLookup<>(
            lookups,
            (first, second) -> first,
            freshness::awaitTurn,
            _ -> freshness.prove(),
            this::proofFailed);
    cache.setFreshnessLookup(() -> proofsOfFreshness.ask(true));
  }

  private Freshness proofFailed(Throwable failure) {
    if (!isStopped() && !(failure instanceof InterruptedException)) {
      log.error("{}: a proof of freshness failed", type(), failure);
    }
    return new Freshness.Unproven("the gateway itself failed");
  }

  /**
   * Starts the list-watch.
   *
   * @throws IllegalStateException if the machine has no thread for it; the caller closes it then
   */
  void start() {
    try {
      thread.start();
      probing.start();
      checking.start();
    } catch (OutOfMemoryError e) { // callers try again later, as after other failures
      if (thread.getState() == Thread.State.NEW) { // else its end sets the state
        cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.CLOSED));
      }
      throw new IllegalStateException("no thread can be started for " + type(), e);
    }
  }

  /** Ends the list-watch. Returns at once; the thread ends as soon as its call does. */
  @Override
  public void close() {
    stopped.countDown();
    cache.backpressure().stop();
    upstream.close();
  }

  ReflectorCommands commands() {
    return commands;
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  private void run() {
    try {
      while (!isStopped() && !cache.upstreamState().phase().isEnd()) {
        runListOrWatch();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (StateTooLargeException e) {
      log.warn(
          "{}: {}; {}. Give the gateway a larger heap.",
          type(),
          e.getMessage(),
          e.besideCached
              ? "its streams end; the type is reopened when they resume"
              : "it is not served");
      metrics.listOrWatchEnded(TOO_LARGE);
      cache.setUpstreamState(
          UpstreamState.of(
              e.besideCached
                  ? UpstreamState.ReflectorPhase.CLOSED
                  : UpstreamState.ReflectorPhase.TOO_LARGE));
    } catch (WatchApplier.Unordered e) {
      log.warn("{}: its resourceVersions are not decimal numbers; it cannot be served", type());
      metrics.listOrWatchEnded(UNORDERED);
      cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.UNORDERED));
    } catch (RuntimeException | Error e) {
      log.error("{}: the reflector failed; the type is closed, and reopened on demand", type(), e);
    } finally {
      close();
      if (!cache.upstreamState().phase().isEnd()) {
        cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.CLOSED));
      }
    }
  }

  /**
   * Runs one list or watch. No local variable may reference a revision meanwhile: a watch takes
   * minutes, and the variable would keep the complete state from its beginning reachable.
   */
  private void runListOrWatch() throws InterruptedException {
    UpstreamFailure failure;
    try {
      failure = listOrWatch();
    } catch (WatchApplier.Unordered e) {
      if (cache.head() == null) {
        throw e;
      }
      // One odd answer must not end a type that was served.
      failure = new UpstreamFailure.Malformed("an answer without a version that is a number");
    }
    if (failure != null && !isStopped()) {
      failurePolicy.handleFailure(failure);
    }
  }

  private @Nullable UpstreamFailure listOrWatch() throws InterruptedException {
    boolean briefly = executeCommand();
    UpstreamFailure failure =
        failurePolicy.nextList() == null && continuity.updateDoubt() ? prove() : null;
    if (failure != null) {
      if (briefly) {
        commands.refreshPosition();
      }
      return failure;
    }
    ListReason nextList = failurePolicy.nextList();
    return nextList != null ? list(nextList) : briefly ? watchBriefly() : watch();
  }

  /** Proves that the state belongs to the present timeline of the cluster, before newer changes. */
  private @Nullable UpstreamFailure prove() throws InterruptedException {
    switch (proof.prove(head())) {
      case HistoryProof.Same _ -> continuity.markProven();
      case HistoryProof.Lost _ -> {
        continuity.markLost();
        failurePolicy.requestList(ListReason.RESTORED);
      }
      case HistoryProof.Unprovable(String reason) -> {
        log.info("{}: listing again: {}", type(), reason);
        failurePolicy.requestList(ListReason.UNPROVABLE);
      }
      case HistoryProof.Failed(UpstreamFailure failure) -> {
        return failure;
      }
    }
    return null;
  }

  /**
   * Executes the next command. Returns whether the command only asks for the position of upstream.
   */
  private boolean executeCommand() {
    ReflectorCommands.Command demand = commands.take();
    Revision head = cache.head();
    if (demand instanceof ReflectorCommands.Relist(ListReason reason, Revision held)
        && head != null
        && !head.hasGapSince(held)) {
      failurePolicy.requestList(reason);
    }
    if (demand instanceof ReflectorCommands.Reached(ResourceVersion version, Revision held)
        && held == head
        && failurePolicy.nextList() == null
        && !continuity.updateDoubt()) {
      var _ = cache.progress(version);
    }
    return demand instanceof ReflectorCommands.RefreshPosition;
  }

  private Revision head() {
    Revision head = cache.head();
    if (head == null) {
      throw new IllegalStateException("a watch before the list");
    }
    return head;
  }

  private String watchStart() {
    return cache.watchStart(head()).digits();
  }

  private StateMap state() {
    Revision head = cache.head();
    return head == null ? StateMap.EMPTY : head.state();
  }

  // ---- list

  private @Nullable UpstreamFailure list(ListReason reason) throws InterruptedException {
    failurePolicy.refreshDefinition();
    if (cache.upstreamState().phase().isEnd()) {
      return null;
    }
    ListCollector collector =
        ListCollector.replacing(state(), paths, cache.skipped(), cache.stateShare());
    try {
      return list(reason, collector);
    } finally {
      // Changes nothing if the list was published.
      cache.stateShare().abandonList(state().objectBytes());
    }
  }

  /** List that was begun. */
  private record BegunList(
      ListReason reason, TimeSource.Reading requestedAt, CacheMetrics.StartedList measured) {}

  private @Nullable UpstreamFailure list(ListReason reason, ListCollector collector)
      throws InterruptedException {
    BegunList begun = new BegunList(reason, cache.now(), metrics.listStarted(reason));
    if (failurePolicy.canStreamLists()) {
      return streamingList(begun, collector);
    }
    return switch (upstream.list(collector)) {
      case Upstream.Listed listed -> {
        if (publish(begun, collector, listed.resourceVersion()) instanceof Upstream.Stop stop) {
          handleStop(stop);
        }
        yield null;
      }
      case Upstream.ListFailed failed -> failed.failure();
    };
  }

  /**
   * Makes a list and the watch after it in one stream: there is no gap between them, and the server
   * does not have to buffer a large response.
   */
  private @Nullable UpstreamFailure streamingList(BegunList begun, ListCollector collector)
      throws InterruptedException {
    RecordingApplier changes =
        new RecordingApplier() {
          private boolean complete;

          @Override
          public Upstream.SinkResult event(
              Upstream.EventType type, byte[] buffer, int from, int to) {
            if (complete) {
              return super.event(type, buffer, from, to);
            }
            collector.item(Arrays.copyOfRange(buffer, from, to));
            return Upstream.SinkResult.CONTINUE;
          }

          @Override
          public Upstream.SinkResult unreadable(
              Upstream.EventType type, byte[] buffer, int from, int to, String problem) {
            if (complete) {
              return super.unreadable(type, buffer, from, to, problem);
            }
            collector.unreadable(Arrays.copyOfRange(buffer, from, to), problem);
            return Upstream.SinkResult.CONTINUE;
          }

          @Override
          public void reportIgnored(String problem) {
            if (complete) {
              super.reportIgnored(problem);
            }
          }

          @Override
          public Upstream.SinkResult bookmark(String version, Upstream.BookmarkKind kind) {
            if (complete) {
              return super.bookmark(version, kind);
            }
            if (kind != Upstream.BookmarkKind.INITIAL_EVENTS_END) {
              return Upstream.SinkResult.CONTINUE;
            }
            complete = true;
            return publish(begun, collector, version) instanceof Upstream.Stop stop
                ? stop
                : continueUnlessCommanded(); // commands do not interrupt a list
          }
        };
    long began = time.nanoTime();
    Upstream.WatchOutcome outcome = upstream.watchList(settings.retries().markerTimeout(), changes);
    if (outcome.stop() != null || failurePolicy.nextList() == null) {
      return handleWatchEnd(outcome, changes, began);
    }
    UpstreamFailure failure = outcome.failure();
    return failure != null
        ? failure
        : new UpstreamFailure.Unsupported("the streaming list ended before its end marker");
  }

  /** Reason of the reflector itself to end a watch. */
  private enum WatchStop implements Upstream.Stop {
    COMMAND,
    /** The first list that shows a lost timeline; nothing of the list is published. */
    LOSS_SEEN
  }

  private Upstream.SinkResult continueUnlessCommanded() {
    return commands.isPending() ? WatchStop.COMMAND : Upstream.SinkResult.CONTINUE;
  }

  private void handleStop(Upstream.Stop stop) throws InterruptedException {
    if (stop instanceof WatchApplier.Contradiction contradiction) {
      failurePolicy.handleContradiction(contradiction);
    } else if (stop == WatchStop.LOSS_SEEN) {
      failurePolicy.handleLostHistory(upstream::reconnect);
    }
  }

  private Upstream.SinkResult publish(
      BegunList begun, ListCollector collector, String resourceVersion) {
    ResourceVersion version = WatchApplier.requireOrdered(resourceVersion);
    Revision head = cache.head();
    StateMap state = collector.state();
    Revision next = cache.afterList(version, state, continuity.confidence());
    if (next.kind() == Revision.Kind.HISTORY_LOST && !continuity.isLossCertain()) {
      return WatchStop.LOSS_SEEN;
    }
    if (cache.publishList(next, begun.requestedAt()) == Revision.Kind.HISTORY_LOST
        && head != null) {
      log.warn(
          "{}: the history of version {} is not that of version {}: the cluster was restored from a"
              + " backup, or it is another one. Streams get a new snapshot; those with the"
              + " lag policy DISCONNECT end, and so do watches over the Kubernetes API.",
          type(),
          head.version(),
          version);
    }
    begun.measured().completed(state.size());
    log.info(
        "{}: listed {} objects at version {} ({})",
        type(),
        state.size(),
        version,
        begun.reason().label());
    failurePolicy.recordList(head == null);
    return Upstream.SinkResult.CONTINUE;
  }

  // ---- watch

  private @Nullable UpstreamFailure watch() throws InterruptedException {
    RecordingApplier changes = new RecordingApplier();
    long began = time.nanoTime();
    Upstream.WatchOutcome outcome = upstream.watch(watchStart(), changes);
    return handleWatchEnd(outcome, changes, began);
  }

  /** Watches up to the present position of the apiserver, and no further. */
  private @Nullable UpstreamFailure watchBriefly() throws InterruptedException {
    Upstream.WatchOutcome outcome =
        upstream.watchBriefly(
            watchStart(), WatchFailureSettings.BRIEF_DURATION, new RecordingApplier());
    Upstream.Stop stop = outcome.stop();
    if (stop != null) {
      handleStop(stop);
    } else if (outcome.failure() == null) {
      metrics.listOrWatchEnded(outcome.end().reason());
      continuity.recordWatchEnd(outcome.end());
    }
    return outcome.failure();
  }

  /** Applier that treats the first event or bookmark as the end of a failure. */
  private class RecordingApplier extends WatchApplier {
    RecordingApplier() {
      super(cache, paths, cache.skipped(), metrics);
    }

    /**
     * Records the open watch at once, because a quiet type may get nothing more for a minute. This
     * does not prove that the position is accepted or that the watch works. So the next failure
     * still waits longer.
     */
    @Override
    public Upstream.SinkResult opened() {
      if (commands.isPending()) {
        return WatchStop.COMMAND;
      }
      cache.recordWatchOpened();
      cache.setUpstreamState(UpstreamState.of(UpstreamState.ReflectorPhase.WATCHING));
      return Upstream.SinkResult.CONTINUE;
    }

    @Override
    void onFirstApplied() {
      recordSuccess();
    }
  }

  private @Nullable UpstreamFailure handleWatchEnd(
      Upstream.WatchOutcome outcome, WatchApplier applier, long began) throws InterruptedException {
    Upstream.Stop stop = outcome.stop();
    if (stop != null) {
      handleStop(stop);
      return null;
    }
    UpstreamFailure failure = outcome.failure();
    boolean atOnce =
        applier.applied() == 0
            && time.nanoTime() - began < WatchFailureSettings.MIN_HEALTHY_DURATION.toNanos();
    if (failure != null) {
      if (atOnce) {
        proof.recordRefusal();
      }
      return failure;
    }
    metrics.listOrWatchEnded(outcome.end().reason());
    continuity.recordWatchEnd(outcome.end());
    if (commands.isPending()) {
      return null;
    }
    if (atOnce) {
      return new UpstreamFailure.ServerError(
          "watches end at once, without an event", Duration.ZERO);
    }
    recordSuccess();
    var _ = failurePolicy.probe();
    return null;
  }

  private void recordSuccess() {
    failurePolicy.recordSuccess();
    proof.recordSuccess();
  }

  private ApiResource type() {
    return cache.definition().type();
  }
}
