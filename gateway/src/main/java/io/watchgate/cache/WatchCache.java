package io.watchgate.cache;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The state of one resource type and the bounded history behind it. One thread, the {@link
 * Reflector}'s, writes; any thread reads. What is published is immutable; nobody is called back
 * while a lock is held.
 */
public final class WatchCache {
  private final TypeDefinition definition;
  private final CacheSettings settings;
  private final TimeSource time;
  private final History history;
  private final CacheMetrics metrics;
  private final StateBudget.Share budget;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final StalenessTracker freshness;
  private final ConsumerLagLimit follower;
  private final SkippedObjects skipped;
  private final HeapBudget heap;
  private final HeapBudget.Holder holder = new Holder();
  private volatile HeapBudget.Pins pins = HeapBudget.Pins.NONE;

  /** Revisions of lower numbers may be pinned only while history has them. */
  private volatile long firstPinned = Long.MIN_VALUE;

  /** Whether the type is closed and read by no stream any more. */
  private volatile boolean unused;

  private volatile UpstreamLookups inquiries = UpstreamLookups.NONE;
  private volatile @Nullable Revision head;
  private volatile long watchedSince;
  private volatile UpstreamState upstream = UpstreamState.of(UpstreamState.Phase.LOADING);

  /** A cache with a budget of its own. */
  WatchCache(
      TypeDefinition definition, CacheSettings settings, TimeSource time, CacheMetrics metrics) {
    this(definition, settings, HeapBudget.unbounded(), time, metrics);
  }

  /** A cache whose history shares a budget, and whose state has one of its own. */
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
      StateBudget.Share budget,
      HeapBudget heap,
      TimeSource time,
      CacheMetrics metrics) {
    this.budget = budget;
    this.definition = definition;
    this.settings = settings;
    this.time = time;
    this.metrics = metrics;
    this.heap = heap;
    this.history = new History(settings.history(), heap);
    this.freshness = new StalenessTracker(time);
    this.follower = new ConsumerLagLimit(time, settings.history().bytes());
    this.skipped = new SkippedObjects(definition.type(), time, metrics);
    heap.add(holder);
  }

  /** What the heap's budget asks of this cache. From any thread. */
  private final class Holder implements HeapBudget.Holder {
    @Override
    public long historyBytes() {
      return history.bytes();
    }

    @Override
    public void trimHistory(long bytes) {
      metrics.revisionsTrimmed(history.trimTo(bytes, follower.firstKept()));
    }

    @Override
    public long pinnedBytes() {
      return pins.bytes();
    }

    @Override
    public void releasePins() {
      Revision oldest = history.oldest();
      if (oldest != null) {
        firstPinned = oldest.number();
      }
    }

    @Override
    public long leavingBytes() {
      return pins.leavingBytes();
    }
  }

  public TypeDefinition definition() {
    return definition;
  }

  /** The present, null until the first list is complete. */
  public @Nullable Revision head() {
    return head;
  }

  public UpstreamState upstream() {
    return upstream;
  }

  /**
   * How long ago the apiserver last proved the state up to date, in nanoseconds; since the cache
   * was made if it never did.
   */
  public long stalenessNanos() {
    return freshness.nanosSince(freshness.proven());
  }

  /**
   * How long ago the apiserver last proved the state at {@code revision} up to date, in
   * nanoseconds; at most so long where that is not known any more.
   */
  public long stalenessNanos(Revision revision) {
    ClockReading proven =
        freshness.proven(); // before the way on: else it might be of what came since
    Revision next = revision.next();
    if (next == null && !revision.trimmed()) {
      return freshness.nanosSince(proven);
    }
    return freshness.nanosSince((next == null ? revision : next).provenBefore());
  }

  /** When the apiserver last proved the state up to date, null if it never did. */
  public @Nullable Instant verifiedAt() {
    return freshness.verifiedAt();
  }

  /** The oldest revision that can be followed, null until the first list is complete. */
  public @Nullable Revision oldest() {
    return history.oldest();
  }

  /**
   * The last revision at or below {@code version}, null when history does not reach back so far.
   * Where deletes without a version of their own follow one of that version, it is the one before
   * them.
   */
  public @Nullable Revision floor(ResourceVersion version) {
    return history.floor(version);
  }

  /** The same; where several have that version, the one whose state has that digest, if any. */
  public @Nullable Revision floor(ResourceVersion version, StateDigest digest) {
    return history.floor(version, digest);
  }

  /** How many objects, or other parts of what the apiserver sent, could not be read so far. */
  public long skippedObjects() {
    return skipped.count();
  }

  /** Whether a history that was lost here had come as far as {@code version}. */
  public boolean lostHistoryReached(ResourceVersion version) {
    return history.lostReached(version);
  }

  /** How many revisions can be followed. */
  public int historySize() {
    return history.size();
  }

  /** Bytes that only history keeps alive. */
  public long historyBytes() {
    return history.bytes();
  }

  /** How many bytes history may keep alive. */
  public long historyLimit() {
    return settings.history().bytes();
  }

  /**
   * Whether a reader that stands on {@code revision} may keep its state: beyond the bound it has to
   * let go of it. As all who lag keep parts of the same superseded bytes alive, the bound holds for
   * all of them together. Where the heap is full, the bound is what history has.
   */
  public boolean mayStandOn(Revision revision) {
    Revision newest = head;
    return newest == null
        || (!isReleased(revision)
            && newest.superseded() - revision.superseded()
                <= settings.history().bytes() + settings.history().laggardBytes());
  }

  /** Whether a revision behind history was given up, since the heap is full. */
  public boolean isReleased(Revision revision) {
    return revision.number() < firstPinned && revision.trimmed();
  }

  /**
   * Whether the heap is so full that nothing should begin that can be refused: {@link
   * HeapBudget#isShort}.
   */
  public boolean isHeapShort() {
    return heap.isShort();
  }

  /** The heap's budget counts what these keep alive. */
  public void setPins(HeapBudget.Pins next) {
    pins = next;
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

  /** From now on history is kept for this one; null for nobody. */
  public void setFollower(@Nullable HistoryConsumer next) {
    follower.follower(next);
  }

  /** What can be found out upstream, for those whose position this cannot judge. */
  public UpstreamLookups inquiries() {
    return inquiries;
  }

  /** Said once, before anybody reads. */
  void inquiries(UpstreamLookups upstreams) {
    inquiries = upstreams;
  }

  /** How many histories were lost here. */
  int lostHistories() {
    Revision now = head;
    return now == null ? 0 : now.totals().lostHistories();
  }

  /**
   * How many bytes of the past may be put before history; 0: none. To be given back with {@link
   * #pastIsFetched}.
   */
  long roomForPast() {
    return heap.reserve(history.roomForPast());
  }

  /** What was taken with {@link #roomForPast} is history by now, or garbage. */
  void pastIsFetched(long room) {
    heap.giveBack(room);
  }

  /** History begins with what was fetched of the past; false if it may not. From any thread. */
  boolean reachBack(BackfilledHistory past) {
    return history.prepend(past, time.nanoTime());
  }

  // What follows is the writer's.

  /** Whether what the heap's budget has given up has to become free before more is read. */
  boolean mustHeapSettle() {
    return heap.mustSettle();
  }

  /** Whether so much waits to be led on that nothing more should be read. */
  boolean isFollowerLate() {
    return follower.isExceeded(head);
  }

  /** The state after a list, which nothing led to but lists and watches without interruption. */
  Revision.Kind list(ResourceVersion version, StateMap state, ClockReading asked) {
    return list(afterList(version, state, HistoryConfidence.TRUSTED), asked);
  }

  /**
   * Makes the revision that a list leads to, and publishes nothing; see {@link
   * RevisionBuilder#list}.
   */
  Revision afterList(ResourceVersion version, StateMap state, HistoryConfidence held) {
    return succession().list(version, state, held);
  }

  /**
   * Publishes the state after a list.
   *
   * @param next made by {@link #afterList} from the present head
   * @param asked when the list was asked for: what it says was true then, and maybe no longer
   * @return RELIST or HISTORY_LOST
   */
  Revision.Kind list(Revision next, ClockReading asked) {
    Revision before = head;
    if (before != null
        && next.kind() == Revision.Kind.RELIST
        && next.version().equals(before.version())
        && next.events() == before.events()) {
      // Nothing changed, and nothing can have happened in between: there is no gap to tell of.
      budget.keep(before.state().objectBytes());
      freshness.upToDate(asked);
      return Revision.Kind.RELIST;
    }
    hold(next);
    if (next.kind() == Revision.Kind.HISTORY_LOST) {
      freshness.beginsAnew(asked);
    } else {
      freshness.upToDate(asked);
    }
    signal();
    return next.kind();
  }

  /** One step of the apiserver's own order. */
  void apply(ResourceVersion version, List<Change> changes) {
    Revision next = succession().changes(version, changes);
    metrics.eventsReceived(changes.size());
    publish(next);
  }

  /** Nothing happened up to {@code version}. */
  void progress(ResourceVersion version) {
    Revision next = succession().progress(version);
    if (next != null) {
      publish(next);
    }
  }

  /** For what applies a watch's events. */
  RevisionSink chain() {
    return new RevisionSink() {
      @Override
      public @Nullable Revision head() {
        return head;
      }

      @Override
      public void apply(ResourceVersion version, List<Change> changes) {
        WatchCache.this.apply(version, changes);
      }

      @Override
      public void progress(ResourceVersion version) {
        WatchCache.this.progress(version);
      }
    };
  }

  private RevisionBuilder succession() {
    return new RevisionBuilder(head, freshness.proven(), time);
  }

  /** The held state may be of another history than the cluster's: nothing proves it up to date. */
  void doubt() {
    freshness.doubt();
  }

  /** The head is of the cluster's present history. */
  void trusted() {
    Revision now = head;
    if (now != null) {
      freshness.trusted(now.version());
    }
  }

  /** The state was all that there was at that moment. */
  void upToDate(ClockReading asOf) {
    freshness.upToDate(asOf);
  }

  /**
   * The apiserver had come to {@code version} when it was asked: once the state has, too, it is
   * proven as of then. From any thread.
   */
  void answered(ResourceVersion version, ClockReading asked) {
    freshness.answered(version, asked, this::head);
  }

  void upstream(UpstreamState state) {
    if (state.equals(upstream)) {
      return;
    }
    upstream = state;
    if (state.phase().isEnd()) {
      budget.giveBack();
      heap.remove(holder);
      history.close();
      forgetIfUnused();
    }
    signal();
  }

  /** A watch was taken up. */
  void watched() {
    watchedSince = time.nanoTime();
  }

  /** When the last watch was taken up. */
  long watchedSince() {
    return watchedSince;
  }

  /** What cannot be read of the type's objects is recorded here. */
  SkippedObjects skipped() {
    return skipped;
  }

  /**
   * The type is closed, and nothing reads it any more. A stream that has ended may hold this cache
   * until its client has read all: it holds no state with it. From any thread.
   */
  void closedUnused() {
    unused = true;
    forgetIfUnused();
  }

  private void forgetIfUnused() {
    if (unused && upstream.phase().isEnd()) {
      head = null;
      history.clear();
    }
  }

  /** What the states of all types have left is counted here. */
  StateBudget.Share budget() {
    return budget;
  }

  /** Now, on both clocks. */
  ClockReading now() {
    return ClockReading.now(time);
  }

  private void publish(Revision revision) {
    hold(revision);
    freshness.reached(revision.version()); // after the head: who sees the proof sees the state
    signal();
  }

  private void hold(Revision revision) {
    // Before the trim: whoever is woken finds the new head, and a reader on the old one finds its
    // way.
    history.append(revision);
    head = revision;
    metrics.revisionsTrimmed(history.trim(revision.receivedNanos(), follower.firstKept()));
    budget.keep(revision.state().objectBytes());
    var _ = heap.fits(); // or history gives way
  }

  private void signal() {
    for (Runnable listener : listeners) {
      listener.run();
    }
  }
}
