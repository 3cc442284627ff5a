package io.watchgate.cache;

import io.watchgate.json.ObjectView;
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
  private volatile @Nullable Revision head;
  private volatile @Nullable Follower follower;

  /** How far the histories came that were lost. */
  private volatile @Nullable ResourceVersion lost;

  private volatile UpstreamState upstream = UpstreamState.of(UpstreamState.Phase.LOADING);
  private final Freshness freshness;

  /** A cache with a budget of its own. */
  WatchCache(
      TypeDefinition definition, CacheSettings settings, TimeSource time, CacheMetrics metrics) {
    this(definition, settings, new StateBudget(settings).open(), time, metrics);
  }

  WatchCache(
      TypeDefinition definition,
      CacheSettings settings,
      StateBudget.Share budget,
      TimeSource time,
      CacheMetrics metrics) {
    this.budget = budget;
    this.definition = definition;
    this.settings = settings;
    this.time = time;
    this.metrics = metrics;
    this.history = new History(settings.history());
    this.freshness = new Freshness(time);
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
    return freshness.stalenessNanos();
  }

  /**
   * How long ago the state at {@code revision} was last known to be the present one, in
   * nanoseconds.
   */
  public long stalenessNanos(Revision revision) {
    Revision next = revision.next();
    return next == null && !revision.trimmed()
        ? stalenessNanos()
        : Math.max(0, time.nanoTime() - (next == null ? revision : next).receivedNanos());
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
   */
  public @Nullable Revision floor(ResourceVersion version) {
    return history.floor(version);
  }

  /** Whether a history that was lost here had come as far as {@code version}. */
  public boolean lostHistoryReached(ResourceVersion version) {
    ResourceVersion end = lost;
    return end != null && !version.isAfter(end);
  }

  /** How many revisions can be followed. */
  public int historySize() {
    return history.size();
  }

  /** Bytes that only history keeps alive. */
  public long historyBytes() {
    Revision newest = head;
    Revision oldest = history.oldest();
    return newest == null || oldest == null ? 0 : newest.superseded() - oldest.superseded();
  }

  /** How many bytes history may keep alive. */
  public long historyLimit() {
    return settings.history().bytes();
  }

  /**
   * Whether a reader that stands on {@code revision} may keep its state: beyond the bound it has to
   * let go of it. As all who lag keep parts of the same superseded bytes alive, the bound holds for
   * all of them together.
   */
  public boolean mayStandOn(Revision revision) {
    Revision newest = head;
    return newest == null
        || newest.superseded() - revision.superseded()
            <= settings.history().bytes() + settings.history().laggardBytes();
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
  public void setFollower(@Nullable Follower next) {
    follower = next;
  }

  // What follows is the writer's.

  /** How far the follower may be behind before the writer waits (design, section 3). */
  private static final long FOLLOWER_BYTES = 16 << 20;

  private static final long FOLLOWER_NANOS = 1_000_000_000;

  private @Nullable Revision followed() {
    Follower current = follower;
    return current == null ? null : current.at();
  }

  private long firstKept() {
    Revision at = followed();
    return at == null ? Long.MAX_VALUE : at.number();
  }

  /** Whether so much waits to be led on that nothing more should be read. */
  boolean isFollowerLate() {
    Revision at = followed();
    Revision newest = head;
    Revision next = at == null ? null : at.next();
    return at != null
        && newest != null
        && next != null
        && (newest.superseded() - at.superseded() > FOLLOWER_BYTES
            || time.nanoTime() - next.receivedNanos() > FOLLOWER_NANOS);
  }

  /**
   * The state after a list: what happened since the last one is known by its net effect only. A
   * version that went back, of the type or of one object, says that the cluster was restored.
   *
   * @param asked when the list was asked for: what it says was true then, and maybe no longer
   * @return RELIST or HISTORY_LOST
   */
  Revision.Kind list(ResourceVersion version, StateMap state, Revision.Received asked) {
    freshness.proven(asked);
    Revision before = head;
    Revision.Totals totals = before == null ? Revision.Totals.NONE : before.totals();
    Digest digest = before == null ? Digest.EMPTY : before.digest();
    long superseded = totals.superseded();
    long events = totals.events();
    boolean wentBack = before != null && before.version().isAfter(version);
    StateDiff diff =
        new StateDiff(before == null ? StateMap.EMPTY : before.state(), state, KeyRange.ALL);
    for (Change change = diff.next(); change != null; change = diff.next()) {
      digest = after(digest, change);
      superseded += change.supersededBytes();
      events++;
      wentBack |= change.wentBack();
    }
    if (wentBack && before != null) {
      ResourceVersion earlier = lost;
      lost = earlier == null || before.version().isAfter(earlier) ? before.version() : earlier;
    }
    Revision.Kind kind = wentBack ? Revision.Kind.HISTORY_LOST : Revision.Kind.RELIST;
    int lostHistories = totals.lostHistories() + (wentBack ? 1 : 0);
    publish(
        version,
        kind,
        List.of(),
        state,
        digest,
        new Revision.Totals(events, superseded, totals.lists() + 1, lostHistories));
    return kind;
  }

  /** One step of the apiserver's own order. */
  void apply(ResourceVersion version, List<Change> changes) {
    Revision before = requireHead();
    StateMap state = before.state();
    Digest digest = before.digest();
    long superseded = 0;
    for (Change change : changes) {
      ObjectView now = change.now();
      ObjectView old = change.old();
      if (now != null) {
        state = state.with(now);
      } else if (old != null) {
        state = state.without(old.key());
      }
      digest = after(digest, change);
      superseded += change.supersededBytes();
    }
    metrics.eventsReceived(changes.size());
    publish(
        version,
        Revision.Kind.CHANGES,
        changes,
        state,
        digest,
        before.totals().plus(changes.size(), superseded));
  }

  /** Nothing happened up to {@code version}. */
  void progress(ResourceVersion version) {
    Revision before = requireHead();
    if (version.isAfter(before.version())) {
      publish(
          version,
          Revision.Kind.PROGRESS,
          List.of(),
          before.state(),
          before.digest(),
          before.totals().plus(0, PROGRESS_BYTES));
    }
  }

  /** The apiserver said, as of that moment, that there is nothing beyond what is held. */
  void upToDate(Revision.Received asOf) {
    freshness.proven(asOf);
  }

  /**
   * A revision without changes: a node of the chain. Counted, so that bookmarks alone cannot fill
   * the heap.
   */
  private static final int PROGRESS_BYTES = 128;

  void upstream(UpstreamState state) {
    if (state.equals(upstream)) {
      return;
    }
    upstream = state;
    if (state.phase().isEnd()) {
      budget.giveBack();
    }
    signal();
  }

  /** What the states of all types have left is counted here. */
  StateBudget.Share budget() {
    return budget;
  }

  private Revision requireHead() {
    Revision current = head;
    if (current == null) {
      throw new IllegalStateException("nothing was listed yet");
    }
    return current;
  }

  private static Digest after(Digest digest, Change change) {
    ObjectView old = change.old();
    ObjectView now = change.now();
    Digest less = old == null ? digest : digest.minus(old);
    return now == null ? less : less.plus(now);
  }

  private void publish(
      ResourceVersion version,
      Revision.Kind kind,
      List<Change> changes,
      StateMap state,
      Digest digest,
      Revision.Totals totals) {
    Revision.Received received = received();
    Revision before = head;
    long number = before == null ? 0 : before.number() + 1;
    Revision revision =
        new Revision(number, version, kind, changes, state, digest, received, totals);
    // Before the trim: whoever is woken finds the new head, and a reader on the old one finds its
    // way.
    history.append(revision);
    head = revision;
    budget.keep(state.objectBytes());
    metrics.revisionsTrimmed(history.trim(received.nanos(), firstKept()));
    signal();
  }

  /** Now, on both clocks. */
  Revision.Received received() {
    return new Revision.Received(time.now(), time.nanoTime());
  }

  private void signal() {
    for (Runnable listener : listeners) {
      listener.run();
    }
  }
}
