package io.watchgate.cache;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The revisions that can still be followed, oldest first, bounded in age and in bytes. The bytes
 * are those that nothing but history keeps alive: superseded objects, and about 1 KB an event for
 * the copied path of the map. The newest revision always stays.
 *
 * <p>Written by the cache's one writer, searched by any thread; the lock is held for a step or a
 * binary search, never while sending.
 */
final class History {
  /**
   * Of a change: a path of the map (about 1 KB at 150,000 objects, measured), the node, the change.
   */
  static final long CHANGE_BYTES = 1_100;

  private static final int INITIAL_CAPACITY = 64;

  /** No number of a revision; those of the past are negative. */
  private static final long NONE = Long.MIN_VALUE;

  /** As long as thousands who come back at once may need to be led on. */
  private static final Duration PAST_KEPT = Duration.ofMinutes(1);

  private final CacheSettings.History limits;
  private final HeapBudget heap;

  /** Bytes that were reported to {@link #heap}. */
  private long counted;

  private boolean closed;

  /** A ring: the revision of number n stands at n modulo the length, a power of two. */
  private @Nullable Revision[] ring = new Revision[INITIAL_CAPACITY];

  /** Revisions are numbered from 0; held are those of the numbers [first, end). */
  private long first;

  private long end;

  /** The number of the first revision whose version compares with the newest one's. */
  private long historyStart;

  /** The lowest number of a revision so far; those that are fetched of the past come before. */
  private long lowest;

  /** Until when those stay, however old they are. */
  private long pastKeptUntil;

  /** How far the histories came that were lost. */
  private @Nullable ResourceVersion lost;

  History(CacheSettings.History limits, HeapBudget heap) {
    this.limits = limits;
    this.heap = heap;
  }

  private void count() {
    long now = closed ? 0 : bytes();
    heap.historyGrows(now - counted);
    counted = now;
  }

  /** Ends counting: the type has ended. */
  synchronized void close() {
    closed = true;
    count();
  }

  /** Adds the newest revision. The writer trims after it, and only that counts the bytes. */
  synchronized void append(Revision revision) {
    if (end - first == ring.length) {
      grow();
    }
    if (end > first) {
      Revision before = at(end - 1);
      before.append(revision);
      if (revision.kind() == Revision.Kind.HISTORY_LOST) {
        historyStart = end;
        lost = lost == null || before.version().isAfter(lost) ? before.version() : lost;
      }
    }
    ring[slot(end)] = revision;
    end++;
  }

  /**
   * How many bytes the past may keep alive that is put before the oldest revision; 0: there is to
   * be none. Where versions before it do not compare, and where history is full: what is put there
   * would go with the next changes, before anybody has followed it.
   */
  synchronized long roomForPast() {
    boolean comparable =
        end > first && historyStart <= first && at(first).kind() != Revision.Kind.HISTORY_LOST;
    return comparable ? Math.max(0, limits.bytes() / 4 * 3 - bytes()) : 0;
  }

  /**
   * Puts the past before the oldest revision. Those who asked for it have a while to follow it.
   *
   * @return false if history would be larger than it may be, or begins elsewhere by now
   */
  synchronized boolean prepend(BackfilledHistory past, long nanoTime) {
    Revision oldest = past.oldest();
    long room = roomForPast();
    if (room == 0 || at(first) != oldest) {
      return false;
    }
    List<Revision> revisions = past.revisions(lowest);
    if (oldest.superseded() - revisions.getFirst().superseded() > room) {
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
      oldest.hasPast();
    }
    historyStart = first;
    pastKeptUntil = nanoTime + PAST_KEPT.toNanos();
    count();
    return true;
  }

  private void grow() {
    @Nullable Revision[] larger = Arrays.copyOf(ring, ring.length * 2);
    Arrays.fill(larger, null);
    for (long n = first; n < end; n++) {
      larger[(int) (n & (larger.length - 1))] = at(n);
    }
    ring = larger;
  }

  private int slot(long number) {
    return (int) (number & (ring.length - 1));
  }

  private Revision at(long number) {
    return Objects.requireNonNull(ring[slot(number)]);
  }

  /**
   * Cuts off what is beyond the bounds. Returns how many revisions went.
   *
   * @param keep the number of the first revision that stays, whatever the bounds say
   */
  synchronized int trim(long nanoTime, long keep) {
    Revision head = at(end - 1);
    int trimmed = 0;
    while (end - first > 1) {
      Revision oldest = at(first);
      boolean tooLarge = head.superseded() - oldest.superseded() > limits.bytes();
      // What counts is how long ago the successor came: until then the oldest was the present.
      boolean tooOld =
          nanoTime - at(first + 1).receivedNanos() > limits.age().toNanos()
              && (oldest.number() >= 0 || nanoTime - pastKeptUntil > 0);
      if (oldest.number() >= keep || (!tooLarge && !tooOld)) {
        break;
      }
      cutOldest();
      trimmed++;
    }
    count();
    return trimmed;
  }

  /**
   * Trims history to a size, whatever the bounds say. Returns the number of trimmed revisions.
   *
   * @param most bytes that history may have
   * @param keep the number of the first revision that stays
   */
  synchronized int trimTo(long most, long keep) {
    int trimmed = 0;
    while (end - first > 1 && at(first).number() < keep && bytes() > most) {
      cutOldest();
      trimmed++;
    }
    count();
    return trimmed;
  }

  /** Nothing of it is needed any more. */
  synchronized void clear() {
    Arrays.fill(ring, null);
    first = end;
    historyStart = end;
  }

  private void cutOldest() {
    Revision oldest = at(first);
    ring[slot(first)] = null;
    first++;
    oldest.trim();
  }

  synchronized @Nullable Revision oldest() {
    return end == first ? null : at(first);
  }

  synchronized int size() {
    return (int) (end - first);
  }

  /** Bytes that only history keeps alive. */
  synchronized long bytes() {
    return end == first ? 0 : at(end - 1).superseded() - at(first).superseded();
  }

  /** Whether a history that was lost had come as far as {@code version}. */
  synchronized boolean lostReached(ResourceVersion version) {
    return lost != null && !version.isAfter(lost);
  }

  /**
   * The last revision at or below {@code version}, null when that is further back than history
   * reaches or before the history that versions compare in. Where changes without a version of
   * their own follow one of that version, it is the one before them.
   */
  synchronized @Nullable Revision floor(ResourceVersion version) {
    long number = floorNumber(version);
    if (number == NONE) {
      return null;
    }
    while (hasVersionOfTheOneBefore(number)) {
      number--;
    }
    return at(number);
  }

  /** The same; where several have that version, the one with that digest, if any. */
  synchronized @Nullable Revision floor(ResourceVersion version, StateDigest digest) {
    long last = floorNumber(version);
    if (last == NONE) {
      return null;
    }
    for (long number = last; ; number--) {
      if (at(number).digest().equals(digest)) {
        return at(number);
      }
      if (!hasVersionOfTheOneBefore(number)) {
        return at(last);
      }
    }
  }

  private boolean hasVersionOfTheOneBefore(long number) {
    return number > Math.max(first, historyStart)
        && at(number).kind() == Revision.Kind.CHANGES
        && at(number).version().equals(at(number - 1).version());
  }

  private long floorNumber(ResourceVersion version) {
    long comparable = Math.max(first, historyStart);
    long low = comparable;
    long high = end;
    while (low < high) {
      long middle = low + (high - low) / 2; // numbers of the past are negative
      if (at(middle).version().isAfter(version)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low == comparable ? NONE : low - 1;
  }
}
