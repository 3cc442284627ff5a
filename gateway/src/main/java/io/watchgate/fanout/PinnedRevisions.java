package io.watchgate.fanout;

import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The states behind history that streams stand on, of one type: one for all who stand on the same
 * revision. What they keep alive are the objects superseded since, and as each younger one keeps a
 * part of the same, the oldest tells for all. Beyond a number of them, or beyond the bytes, the
 * oldest goes: who stands there has to let go. Thread-safe.
 */
final class PinnedRevisions implements HeapBudget.Pins {
  /** While a difference is sent, the state that it leads to is held beside the root. */
  private static final int STATES_OF_A_STREAM = 2;

  private final WatchCache cache;
  private final int limit;
  private final TreeMap<Long, Root> roots = new TreeMap<>();

  /** Streams that hold this or an earlier revision have to release it. */
  private volatile long dropped = -1;

  private static final class Root {
    final Revision revision;
    int streams;

    Root(Revision revision) {
      this.revision = revision;
    }
  }

  PinnedRevisions(WatchCache cache, int limit) {
    this.cache = cache;
    this.limit = limit;
  }

  /** A stream stands on a revision that was trimmed. To be given back with {@link #release}. */
  synchronized void hold(Revision revision) {
    roots.computeIfAbsent(revision.number(), number -> new Root(revision)).streams++;
    NavigableMap<Long, Root> kept = roots.tailMap(dropped, false);
    if (kept.size() > limit) {
      dropped = kept.firstKey();
    }
  }

  synchronized void release(Revision revision) {
    Root root = roots.get(revision.number());
    if (root != null && --root.streams == 0) {
      roots.remove(revision.number());
    }
  }

  /** Whether a stream that stands there may go on to. */
  boolean mayStandOn(Revision revision) {
    return cache.mayStandOn(revision) && (revision.number() > dropped || !revision.trimmed());
  }

  /** How many there are, without those that streams have to release. */
  synchronized int count() {
    return roots.tailMap(dropped, false).size();
  }

  /**
   * What they keep alive that nothing else would: no more than was superseded since the oldest, and
   * no more than each has, and the state that each is led to.
   */
  @Override
  public long bytes() {
    return bytes(revision -> !isLeaving(revision));
  }

  @Override
  public long leavingBytes() {
    return bytes(this::isLeaving);
  }

  private boolean isLeaving(Revision revision) {
    return revision.number() <= dropped || cache.isReleased(revision);
  }

  private synchronized long bytes(Predicate<Revision> counts) {
    Revision end = cache.oldest();
    if (end == null) {
      return 0;
    }
    long superseded = 0;
    long held = 0;
    for (Root root : roots.values()) {
      if (counts.test(root.revision)) {
        superseded = Math.max(superseded, end.superseded() - root.revision.superseded());
        held += root.revision.state().objectBytes();
      }
    }
    return Math.min(superseded, STATES_OF_A_STREAM * held);
  }
}
