package io.watchgate.cache;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * State of one resource type and the retained revisions behind it. One thread, the {@link
 * Reflector}'s, writes; any thread reads. Published data is immutable; listeners are called without
 * a lock.
 */
public final class WatchCache extends RevisionSink {
  private final TypeDefinition definition;
  private final CacheSettings settings;
  private final TimeSource time;
  private final RetainedRevisions retained;
  private final CacheMetrics metrics;
  private final StateBudget.Share stateShare;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final StateProofs proofs;
  private final WriterBackpressure backpressure;
  private final SkippedObjects skipped;
  private final HeapBudget heap;
  private final ReclaimableMemory reclaimable;

  /** True if the type is closed and no stream reads it any more. */
  private volatile boolean unused;

  private volatile UpstreamLookups upstreamLookups = UpstreamLookups.NONE;
  private volatile Supplier<CompletionStage<Freshness>> freshnessLookup =
      () ->
          CompletableFuture.completedStage(
              new Freshness.Unproven("this cache has no connection to an apiserver"));
  private volatile @Nullable Revision head;

  /** Number of the last revision that was equal to the apiserver's state at its version. */
  private volatile long lastCompleteNumber = Long.MIN_VALUE;

  private volatile long watchedSince;
  private volatile UpstreamState upstream = UpstreamState.of(UpstreamState.ReflectorPhase.LOADING);

  /**
   * Requests in a row that failed, while the state of the list-watch has a failure. It is not part
   * of that state, so that another failed attempt does not notify listeners.
   */
  private volatile int failedAttempts;

  /** Creates a cache with a budget of its own. */
  WatchCache(
      TypeDefinition definition, CacheSettings settings, TimeSource time, CacheMetrics metrics) {
    this(definition, settings, HeapBudget.unbounded(), time, metrics);
  }

  /** Creates a cache whose history shares a budget, and whose state has its own budget. */
  WatchCache(
      TypeDefinition definition,
      CacheSettings settings,
      HeapBudget heap,
      TimeSource time,
      CacheMetrics metrics) {
    this(
        definition,
        settings,
        new StateBudget(settings, HeapBudget.unbounded()).open(),
        heap,
        time,
        metrics);
  }

  WatchCache(
      TypeDefinition definition,
      CacheSettings settings,
      StateBudget.Share stateShare,
      HeapBudget heap,
      TimeSource time,
      CacheMetrics metrics) {
    this.stateShare = stateShare;
    this.definition = definition;
    this.settings = settings;
    this.time = time;
    this.metrics = metrics;
    this.heap = heap;
    this.retained = new RetainedRevisions(settings.history(), heap);
    this.proofs = new StateProofs(time, this::head);
    this.backpressure = new WriterBackpressure(time, settings.history().bytes(), heap, metrics);
    this.skipped = new SkippedObjects(definition.type(), time, metrics);
    this.reclaimable = new ReclaimableMemory(settings.history(), retained, backpressure, metrics);
    heap.add(reclaimable);
  }

  public TypeDefinition definition() {
    return definition;
  }

  CacheSettings settings() {
    return settings;
  }

  /** Returns the newest revision, null until the first list is complete. */
  @Override
  public @Nullable Revision head() {
    return head;
  }

  public UpstreamState upstreamState() {
    return upstream;
  }

  /**
   * Returns how many requests in a row failed; valid while {@link #upstreamState} has a failure.
   */
  public int failedAttempts() {
    return failedAttempts;
  }

  void setFailedAttempts(int count) {
    failedAttempts = count;
  }

  /**
   * Proves that the head is the apiserver's state of a moment after this call. The stage completes
   * on any thread, always normally, usually within 3 s. Of concurrent calls, one request upstream
   * runs and one is queued. What is proven then is in {@link #proofs}.
   */
  public CompletionStage<Freshness> proveFresh() {
    return freshnessLookup.get();
  }

  /** Returns the proofs that the state is the apiserver's. */
  public StateProofs proofs() {
    return proofs;
  }

  /** Sets the lookup of {@link #proveFresh}, once, before the first reader. */
  public void setFreshnessLookup(Supplier<CompletionStage<Freshness>> lookup) {
    freshnessLookup = lookup;
  }

  /** Returns the oldest revision that can be followed, null until the first list is complete. */
  public @Nullable Revision oldest() {
    return retained.oldest();
  }

  /** Like {@link #oldest}, without backfilled revisions. */
  public @Nullable Revision oldestReceived() {
    return retained.oldestReceived();
  }

  /**
   * Returns the last revision at or below {@code version} after which a client of that version
   * misses no change; null if that is older than the retained revisions. Of several revisions of
   * one version it is the first, unless they are the deletes of a transaction before {@code
   * version}.
   */
  public @Nullable Revision revisionAtOrBefore(ResourceVersion version) {
    return retained.revisionAtOrBefore(version);
  }

  /**
   * Returns the revision of the state at {@code version}, after all changes of that version; null
   * if that is older than the retained revisions.
   */
  public @Nullable Revision stateAt(ResourceVersion version) {
    return retained.stateAt(version);
  }

  /**
   * Like {@link #revisionAtOrBefore(ResourceVersion)}, but if several revisions have that version,
   * returns the revision whose state has that digest, if any.
   */
  public @Nullable Revision revisionAtOrBefore(ResourceVersion version, StateDigest digest) {
    return retained.revisionAtOrBefore(version, digest);
  }

  /**
   * Returns the number of objects, or other parts of the apiserver's answers, that could not be
   * read.
   */
  public long skippedObjects() {
    return skipped.count();
  }

  /** Returns whether a history that was lost here had reached {@code version}. */
  public boolean hasLostHistoryReached(ResourceVersion version) {
    return retained.hasLostHistoryReached(version);
  }

  /** Returns the number of revisions that can be followed. */
  public int historySize() {
    return retained.size();
  }

  /** Returns the bytes that only the retained revisions keep reachable. */
  public long historyBytes() {
    return retained.bytes();
  }

  /** Returns the maximum of bytes that the retained revisions may keep reachable. */
  public long historyLimit() {
    return settings.history().bytes();
  }

  /**
   * Returns whether a reader may pin {@code revision}; if not, the reader has to release it. All
   * laggards pin parts of the same superseded bytes, so the limit applies to all of them together.
   * If the heap is full, only revisions in history may be pinned.
   */
  public boolean canPin(Revision revision) {
    return reclaimable.canPin(revision, head);
  }

  /** Returns whether a revision behind history has to be released because the heap is full. */
  public boolean isReleaseRequired(Revision revision) {
    return reclaimable.isReleaseRequired(revision);
  }

  /**
   * Returns whether the heap is so full that new work has to be refused if possible: {@link
   * HeapBudget#isShort}.
   */
  public boolean isHeapShort() {
    return heap.isShort();
  }

  /** Sets the pinned revisions, whose bytes the heap budget counts. */
  public void setPins(HeapBudget.Pins next) {
    reclaimable.setPins(next);
  }

  /**
   * Registers a listener that is called, on the writer's thread, after every change of {@link
   * #head} or {@link #upstream}. It must return at once and must not throw.
   */
  public void addListener(Runnable listener) {
    listeners.add(listener);
  }

  public void removeListener(Runnable listener) {
    listeners.remove(listener);
  }

  /** Sets the consumer for which revisions are kept from now on; null for none. */
  public void setConsumer(@Nullable RevisionConsumer next) {
    backpressure.setConsumer(next);
  }

  /** Wakes a writer that waits for the consumer. The consumer calls it after each move. */
  public void wakeWriter() {
    backpressure.wakeWriter();
  }

  /** Returns the upstream lookups for positions that this cache cannot judge. */
  public UpstreamLookups upstreamLookups() {
    return upstreamLookups;
  }

  /** Sets the upstream lookups, once, before the first reader. */
  void setUpstreamLookups(UpstreamLookups upstreams) {
    upstreamLookups = upstreams;
  }

  /** Returns the number of histories that were lost here. */
  int lostHistories() {
    Revision now = head;
    return now == null ? 0 : now.totals().lostHistories();
  }

  /**
   * Reserves the bytes that a backfill may add before history; 0 if it is not allowed. The caller
   * has to give them back with {@link #releaseBackfillRoom}.
   */
  long reserveBackfillRoom() {
    return heap.reserve(retained.backfillRoom());
  }

  /** Gives back the bytes of {@link #reserveBackfillRoom}: they are history by now, or garbage. */
  void releaseBackfillRoom(long room) {
    heap.releaseReserved(room);
  }

  /**
   * Prepends backfilled revisions to the retained ones; false if they do not fit. From any thread.
   */
  boolean prepend(BackfilledRevisions past) {
    return retained.prepend(past, time.nanoTime());
  }

  @Override
  void awaitRoom() {
    backpressure.awaitRoom(head);
  }

  /** Returns the backpressure on the writer. */
  WriterBackpressure backpressure() {
    return backpressure;
  }

  /**
   * Publishes the state after a list. Lists and watches without an interruption must have led to
   * the head. Called by the writer.
   */
  Revision.Kind publishList(
      ResourceVersion version, StateMap state, TimeSource.Reading requestedAt) {
    return publishList(afterList(version, state, HistoryConfidence.TRUSTED), requestedAt);
  }

  /**
   * Returns the revision that a list leads to, and publishes nothing; see {@link
   * RevisionBuilder#list}.
   */
  Revision afterList(ResourceVersion version, StateMap state, HistoryConfidence held) {
    return revisionBuilder().list(version, state, held);
  }

  /**
   * Publishes the state after a list.
   *
   * @param next made by {@link #afterList} from the present head
   * @param requestedAt time of the list request: the list proves the state of that moment only
   * @return RELIST or HISTORY_LOST
   */
  Revision.Kind publishList(Revision next, TimeSource.Reading requestedAt) {
    Revision before = head;
    if (before != null
        && next.kind() == Revision.Kind.RELIST
        && next.version().equals(before.version())
        && next.events() == before.events()) {
      // Nothing changed, and nothing can have happened in between: there is no gap to report.
      stateShare.keep(before.state().objectBytes());
      proofs.markUpToDate(requestedAt);
      return Revision.Kind.RELIST;
    }
    store(next);
    if (next.kind() == Revision.Kind.HISTORY_LOST) {
      proofs.resetTo(requestedAt);
    } else {
      proofs.markUpToDate(requestedAt);
    }
    notifyListeners();
    return next.kind();
  }

  /**
   * Returns whether the head may be in the middle of its version: further objects may have been
   * deleted in the same transaction, and a watch may have ended before it sent these deletes.
   */
  boolean mayBePartOfVersion(Revision newest) {
    return newest.number() != lastCompleteNumber && retained.mayBePartOfVersion(newest);
  }

  /**
   * Records that the state of the revision is the apiserver's at its version: no delete of that
   * version is missing. A restarted apiserver may know no version before it.
   */
  void markComplete(Revision revision) {
    lastCompleteNumber = revision.number();
  }

  /**
   * Returns the version from which a watch sends all changes that the head does not have. This is
   * the head's version, or the version before it if the head may be in the middle of its version.
   * In the second case the watch repeats changes that the head has; they are ignored.
   */
  ResourceVersion watchStart(Revision newest) {
    return mayBePartOfVersion(newest) ? newest.version().previous() : newest.version();
  }

  /** Publishes one transition of the apiserver's own order. */
  @Override
  Upstream.SinkResult apply(ResourceVersion version, List<Change> changes) {
    Revision next = revisionBuilder().changes(version, changes);
    metrics.eventsReceived(changes.size());
    publish(next);
    return Upstream.SinkResult.CONTINUE;
  }

  /** Publishes that nothing happened up to {@code version}. */
  @Override
  Upstream.SinkResult progress(ResourceVersion version) {
    Revision next = revisionBuilder().progress(version);
    if (next != null) {
      publish(next);
    }
    return Upstream.SinkResult.CONTINUE;
  }

  private RevisionBuilder revisionBuilder() {
    return new RevisionBuilder(head, proofs.proven(), time);
  }

  /**
   * Records that the head belongs to the cluster's present timeline. If it may be in the middle of
   * its version, an answer with that version proves nothing yet: deletes are missing that had
   * happened when the apiserver was asked.
   */
  void markTrusted() {
    Revision now = head;
    if (now != null) {
      proofs.markTrusted(watchStart(now));
    }
  }

  void setUpstreamState(UpstreamState state) {
    if (state.equals(upstream)) {
      return;
    }
    upstream = state;
    if (state.phase().isEnd()) {
      stateShare.release();
      heap.remove(reclaimable);
      retained.close();
      releaseIfUnused();
    }
    notifyListeners();
  }

  /** Records that a watch was opened. */
  void recordWatchOpened() {
    watchedSince = time.nanoTime();
  }

  /** Returns the time at which the last watch was opened. */
  long watchedSince() {
    return watchedSince;
  }

  /** Returns the record of the type's objects that cannot be read. */
  SkippedObjects skipped() {
    return skipped;
  }

  /**
   * Returns a new record, for backfilled states: an object that cannot be read now may have been
   * readable in them.
   */
  SkippedObjects newSkippedObjects() {
    return new SkippedObjects(definition.type(), time, metrics);
  }

  /**
   * Marks the closed type as unread and releases its state. A stream that has ended may reference
   * this cache until its client has read all responses; it then keeps no state reachable. From any
   * thread.
   */
  void markUnused() {
    unused = true;
    releaseIfUnused();
  }

  private void releaseIfUnused() {
    if (unused && upstream.phase().isEnd()) {
      head = null;
      retained.clear();
    }
  }

  /** Returns the share of this type in the budget of all states. */
  StateBudget.Share stateShare() {
    return stateShare;
  }

  /** Returns the present reading of both clocks. */
  TimeSource.Reading now() {
    return time.reading();
  }

  private void publish(Revision revision) {
    store(revision);
    proofs.recordVersion(revision.version()); // after the head, so that no proof has an older state
    notifyListeners();
  }

  private void store(Revision revision) {
    // Before the trim: a woken thread finds the new head, and a reader at the old head finds the
    // next one.
    retained.append(revision);
    head = revision;
    metrics.revisionsTrimmed(retained.trim(revision.receivedNanos(), backpressure.firstKept()));
    stateShare.keep(revision.state().objectBytes());
    var _ = heap.reclaimToFit(); // otherwise history is trimmed
  }

  private void notifyListeners() {
    for (Runnable listener : listeners) {
      listener.run();
    }
  }
}
