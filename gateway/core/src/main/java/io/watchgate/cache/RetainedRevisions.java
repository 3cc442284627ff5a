package io.watchgate.cache;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Revisions that readers can still follow, oldest first, bounded in age and in bytes ({@link
 * CacheSettings.History}). The bytes are those that only this class keeps reachable: superseded
 * objects, and about 1 KB an event for the copied path of the map. The newest revision always
 * stays.
 *
 * <p>Written by the cache's only writer, searched by any thread. The lock is held for one append or
 * binary search, never while sending.
 */
final class RetainedRevisions {
  /**
   * Overhead of a change: a path of the map (about 1 KB at 150,000 objects, measured), the node,
   * the change.
   */
  static final long CHANGE_BYTES = 1_100;

  private static final int INITIAL_CAPACITY = 64;

  /** No index: those of backfilled revisions are negative. */
  private static final long NONE = Long.MIN_VALUE;

  private final CacheSettings.History limits;
  private final HeapBudget heap;

  /** Bytes that were reported to {@link #heap}. */
  private long reportedBytes;

  private boolean closed;

  /** Ring buffer: the revision of index i is in the slot i modulo the length, a power of two. */
  private @Nullable Revision[] ring = new Revision[INITIAL_CAPACITY];

  /**
   * The retained indexes are [first, end). An index is not the number of its revision: each chain
   * is indexed from 0, and downwards for a backfill.
   */
  private long first;

  private long end;

  /** The index of the first revision whose version is comparable with the newest version. */
  private long historyStart;

  /** The lowest number of a revision so far; backfilled revisions get lower numbers. */
  private long lowest;

  /** Time until which backfilled revisions stay, however old they are. */
  private long backfillKeptUntil;

  /** The highest version of the lost timelines. */
  private @Nullable ResourceVersion lostVersion;

  RetainedRevisions(CacheSettings.History limits, HeapBudget heap) {
    this.limits = limits;
    this.heap = heap;
  }

  private void reportBytes() {
    long now = closed ? 0 : bytes();
    heap.addHistoryBytes(now - reportedBytes);
    reportedBytes = now;
  }

  /** Stops counting: the type has ended. */
  synchronized void close() {
    closed = true;
    reportBytes();
  }

  /** Adds the newest revision. The writer trims after it, and only the trim counts the bytes. */
  synchronized void append(Revision revision) {
    if (end - first == ring.length) {
      grow();
    }
    if (end > first) {
      Revision before = at(end - 1);
      before.append(revision);
      if (revision.kind() == Revision.Kind.HISTORY_LOST) {
        historyStart = end;
        lostVersion =
            lostVersion == null || before.version().isAfter(lostVersion)
                ? before.version()
                : lostVersion;
      }
    }
    ring[slot(end)] = revision;
    end++;
  }

  /**
   * Returns the maximum of bytes that a backfill may keep reachable; 0 if it is not allowed. It is
   * not allowed if versions before the oldest revision do not compare, or if the limit is reached:
   * the next changes would trim it before any stream has followed it.
   */
  synchronized long backfillRoom() {
    boolean comparable =
        end > first && historyStart <= first && at(first).kind() != Revision.Kind.HISTORY_LOST;
    return comparable ? Math.max(0, limits.bytes() / 4 * 3 - bytes()) : 0;
  }

  /**
   * Prepends backfilled revisions to the oldest revision. They stay for {@link
   * BackfillSettings#RETENTION}, so that the streams that asked for them can follow.
   *
   * @return false if the bytes would exceed the limit, or another revision is the oldest by now
   */
  synchronized boolean prepend(BackfilledRevisions past, long nanoTime) {
    Revision oldest = past.oldest();
    long room = backfillRoom();
    if (room == 0 || at(first) != oldest) {
      return false;
    }
    List<Revision> revisions = past.revisions(lowest);
    if (oldest.supersededBytes() - revisions.getFirst().supersededBytes() > room) {
      return false;
    }
    lowest -= revisions.size();
    Revision next = oldest;
    for (Revision revision : revisions.reversed()) {
      if (end - first == ring.length) {
        grow();
      }
      revision.append(next);
      ring[slot(--first)] = revision;
      next = revision;
    }
    if (oldest.kind() == Revision.Kind.RELIST) {
      oldest.markBackfilled();
    }
    historyStart = first;
    backfillKeptUntil = nanoTime + BackfillSettings.RETENTION.toNanos();
    reportBytes();
    return true;
  }

  private void grow() {
    @Nullable Revision[] larger = Arrays.copyOf(ring, ring.length * 2);
    Arrays.fill(larger, null);
    for (long i = first; i < end; i++) {
      larger[(int) (i & (larger.length - 1))] = at(i);
    }
    ring = larger;
  }

  private int slot(long index) {
    return (int) (index & (ring.length - 1));
  }

  private Revision at(long index) {
    return Objects.requireNonNull(ring[slot(index)]);
  }

  /**
   * Trims revisions that exceed the limits. Returns the number of trimmed revisions.
   *
   * @param keep number of the first revision that stays, whatever the limits say
   */
  synchronized int trim(long nanoTime, long keep) {
    Revision head = at(end - 1);
    int trimmed = 0;
    while (end - first > 1) {
      Revision oldest = at(first);
      boolean tooLarge = head.supersededBytes() - oldest.supersededBytes() > limits.bytes();
      // The age counts from the arrival of the successor: until then the oldest was the newest.
      boolean tooOld =
          nanoTime - at(first + 1).receivedNanos() > limits.age().toNanos()
              && (oldest.number() >= 0 || nanoTime - backfillKeptUntil > 0);
      if (oldest.number() >= keep || (!tooLarge && !tooOld)) {
        break;
      }
      trimOldest();
      trimmed++;
    }
    reportBytes();
    return trimmed;
  }

  /**
   * Trims the revisions to a size, whatever the limits say. Returns the number of trimmed
   * revisions.
   *
   * @param most maximum of bytes that the revisions may have
   * @param keep number of the first revision that stays
   */
  synchronized int trimTo(long most, long keep) {
    int trimmed = 0;
    while (end - first > 1 && at(first).number() < keep && bytes() > most) {
      trimOldest();
      trimmed++;
    }
    reportBytes();
    return trimmed;
  }

  /** Removes all revisions. */
  synchronized void clear() {
    Arrays.fill(ring, null);
    first = end;
    historyStart = end;
  }

  private void trimOldest() {
    Revision oldest = at(first);
    ring[slot(first)] = null;
    first++;
    oldest.trim();
  }

  synchronized @Nullable Revision oldest() {
    return end == first ? null : at(first);
  }

  /** Returns the oldest revision that was not backfilled; null if there is none. */
  synchronized @Nullable Revision oldestReceived() {
    long low = first;
    long high = end;
    while (low < high) {
      long middle = low + (high - low) / 2;
      if (at(middle).number() < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == end ? null : at(low);
  }

  synchronized int size() {
    return (int) (end - first);
  }

  /** Returns the bytes that only this class keeps reachable. */
  synchronized long bytes() {
    return end == first ? 0 : at(end - 1).supersededBytes() - at(first).supersededBytes();
  }

  /** Returns whether a lost timeline had reached {@code version}. */
  synchronized boolean hasLostHistoryReached(ResourceVersion version) {
    return lostVersion != null && !version.isAfter(lostVersion);
  }

  /**
   * Returns the last revision at or below {@code version}; null if it is older than the oldest
   * retained revision, or than the present timeline. If several revisions have the found version,
   * and a client of {@code version} may lack some of their changes, returns the first of them: all
   * deletes of one transaction are before each higher version, deletes without a version of their
   * own may not be.
   */
  synchronized @Nullable Revision revisionAtOrBefore(ResourceVersion version) {
    long last = indexAtOrBefore(version);
    if (last == NONE) {
      return null;
    }
    Revision earliest = at(firstOfVersion(last));
    return earliest.isOfDeletes() && version.isAfter(earliest.version()) ? at(last) : earliest;
  }

  /** Returns the revision of the state at {@code version}, after all changes of that version. */
  synchronized @Nullable Revision stateAt(ResourceVersion version) {
    long last = indexAtOrBefore(version);
    return last == NONE ? null : at(last);
  }

  /**
   * Like {@link #revisionAtOrBefore(ResourceVersion)}, but if several revisions have that version,
   * returns the revision with that digest, if any.
   */
  synchronized @Nullable Revision revisionAtOrBefore(ResourceVersion version, StateDigest digest) {
    long last = indexAtOrBefore(version);
    if (last == NONE) {
      return null;
    }
    for (long index = last; ; index--) {
      if (at(index).digest().equals(digest)) {
        return at(index);
      }
      if (!hasVersionOfPrevious(index)) {
        return at(last);
      }
    }
  }

  /**
   * Returns whether changes of the version of {@code head}, the newest revision, may be missing.
   * Only deletes share a version, those of one transaction. Deletes without a version of their own
   * follow a revision that is no delete.
   */
  synchronized boolean mayBePartOfVersion(Revision head) {
    if (end == first || at(end - 1) != head) {
      return false;
    }
    return at(firstOfVersion(end - 1)).isOfDeletes();
  }

  private long firstOfVersion(long last) {
    long index = last;
    while (hasVersionOfPrevious(index)) {
      index--;
    }
    return index;
  }

  private boolean hasVersionOfPrevious(long index) {
    return index > Math.max(first, historyStart)
        && (at(index).kind() == Revision.Kind.CHANGES
            || at(index).kind() == Revision.Kind.PROGRESS) // the list that a backfill led to
        && at(index).version().equals(at(index - 1).version());
  }

  private long indexAtOrBefore(ResourceVersion version) {
    long comparable = Math.max(first, historyStart);
    long low = comparable;
    long high = end;
    while (low < high) {
      long middle = low + (high - low) / 2; // indexes of backfilled revisions are negative
      if (at(middle).version().isAfter(version)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low == comparable ? NONE : low - 1;
  }
}
