package io.watchgate.feed;

import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import java.util.TreeMap;

/**
 * The states behind history that streams stand on, of one type: one for all who stand on the same
 * revision. What they keep alive are the objects superseded since, and as each younger one keeps a
 * part of the same, the oldest tells for all. Beyond a number of them, or beyond the bytes, the
 * oldest goes: who stands there has to let go. Thread-safe.
 */
final class Roots {
  private final WatchCache cache;
  private final int limit;
  private final TreeMap<Long, Root> roots = new TreeMap<>();

  /** Nobody stands on this or on an earlier revision. */
  private volatile long dropped = -1;

  private static final class Root {
    final Revision revision;
    int streams;

    Root(Revision revision) {
      this.revision = revision;
    }
  }

  Roots(WatchCache cache, int limit) {
    this.cache = cache;
    this.limit = limit;
  }

  /** A stream stands on a revision that was trimmed. To be given back with {@link #release}. */
  synchronized void hold(Revision revision) {
    if (revision.number() <= dropped) {
      return; // it has to let go
    }
    roots.computeIfAbsent(revision.number(), number -> new Root(revision)).streams++;
    while (roots.size() > limit) {
      dropped = Math.max(dropped, roots.firstKey());
      roots.pollFirstEntry();
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

  /** How many there are. */
  synchronized int count() {
    return roots.size();
  }

  /**
   * What they keep alive that nothing else would: no more than was superseded since the oldest, and
   * no more than each has. Those that streams are about to release do not count.
   */
  synchronized long retainedBytes() {
    Revision end = cache.oldest();
    if (end == null) {
      return 0;
    }
    long superseded = 0;
    long held = 0;
    for (Root root : roots.values()) {
      if (!cache.isReleased(root.revision)) {
        superseded = Math.max(superseded, end.superseded() - root.revision.superseded());
        held += root.revision.state().objectBytes();
      }
    }
    return Math.min(superseded, held);
  }
}
