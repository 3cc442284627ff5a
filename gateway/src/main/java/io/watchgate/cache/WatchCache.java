package io.watchgate.cache;

import io.watchgate.json.ObjectView;
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
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile @Nullable Revision head;
  private volatile UpstreamState upstream = UpstreamState.of(UpstreamState.Phase.LOADING);
  private volatile Revision.Received verified;

  public WatchCache(
      TypeDefinition definition, CacheSettings settings, TimeSource time, CacheMetrics metrics) {
    this.definition = definition;
    this.settings = settings;
    this.time = time;
    this.metrics = metrics;
    this.history = new History(new History.Limits(settings.historyAge(), settings.historyBytes()));
    this.verified = received();
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
    return Math.max(0, time.nanoTime() - verified.nanos());
  }

  /** When the apiserver last proved the state up to date. */
  public java.time.Instant verifiedAt() {
    return verified.wall();
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

  /**
   * Whether a reader that stands on {@code revision} may keep its state: beyond the bound it has to
   * let go of it. As all who lag keep parts of the same superseded bytes alive, the bound holds for
   * all of them together.
   */
  public boolean mayStandOn(Revision revision) {
    Revision newest = head;
    return newest == null
        || newest.superseded() - revision.superseded()
            <= settings.historyBytes() + settings.laggardBytes();
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

  // What follows is the writer's.

  /** The first state, or the state of a history that has nothing to do with the one before. */
  void replace(ResourceVersion version, StateMap state, Revision.Kind kind) {
    Digest digest = Digest.EMPTY;
    StateCursor cursor = state.cursor(KeyRange.ALL);
    for (ObjectView object = cursor.peek(); object != null; object = cursor.peek()) {
      digest = digest.plus(object);
      cursor.advance();
    }
    Revision before = head;
    publish(
        version,
        kind,
        List.of(),
        state,
        digest,
        before == null
            ? new Revision.Totals(0, 0)
            : new Revision.Totals(
                before.events() + 1, before.superseded() + before.state().objectBytes()));
  }

  /** The state after a list: a revision that says that what happened in between is not known. */
  void relist(ResourceVersion version, StateMap state) {
    Revision before = requireHead();
    StateDiff diff = new StateDiff(before.state(), state, KeyRange.ALL);
    Digest digest = before.digest();
    long superseded = before.superseded();
    long events = before.events();
    for (Change change = diff.next(); change != null; change = diff.next()) {
      digest = after(digest, change);
      superseded += cost(change);
      events++;
    }
    publish(
        version,
        Revision.Kind.RELIST,
        List.of(),
        state,
        digest,
        new Revision.Totals(events, superseded));
  }

  /** One step of the apiserver's own order. */
  void apply(ResourceVersion version, List<Change> changes) {
    Revision before = requireHead();
    StateMap state = before.state();
    Digest digest = before.digest();
    long superseded = before.superseded();
    for (Change change : changes) {
      ObjectView now = change.now();
      ObjectView old = change.old();
      if (now != null) {
        state = state.with(now);
      } else if (old != null) {
        state = state.without(old.key());
      }
      digest = after(digest, change);
      superseded += cost(change);
    }
    metrics.eventsReceived(changes.size());
    publish(
        version,
        Revision.Kind.CHANGES,
        changes,
        state,
        digest,
        new Revision.Totals(before.events() + changes.size(), superseded));
  }

  /** Nothing happened up to {@code version}. */
  void progress(ResourceVersion version) {
    Revision before = requireHead();
    verified = received();
    if (version.isAfter(before.version())) {
      publish(
          version,
          Revision.Kind.PROGRESS,
          List.of(),
          before.state(),
          before.digest(),
          new Revision.Totals(before.events(), before.superseded() + PROGRESS_BYTES));
    }
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
    signal();
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

  private static long cost(Change change) {
    ObjectView old = change.old();
    return History.CHANGE_BYTES + (old == null ? 0 : old.retainedBytes());
  }

  private void publish(
      ResourceVersion version,
      Revision.Kind kind,
      List<Change> changes,
      StateMap state,
      Digest digest,
      Revision.Totals totals) {
    Revision.Received received = received();
    Revision revision = new Revision(version, kind, changes, state, digest, received, totals);
    verified = received;
    // Before the trim: whoever is woken finds the new head, and a reader on the old one finds its
    // way.
    history.append(revision);
    head = revision;
    metrics.revisionsTrimmed(history.trim(received.nanos()));
    signal();
  }

  private Revision.Received received() {
    return new Revision.Received(time.now(), time.nanoTime());
  }

  private void signal() {
    for (Runnable listener : listeners) {
      listener.run();
    }
  }
}
