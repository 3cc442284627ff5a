package io.watchgate.fanout;

import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.Revision;
import io.watchgate.cache.WatchCache;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Revisions of one type that were trimmed from history but are pinned by lagging streams. Streams
 * at the same revision share one pin. A pin keeps alive the objects superseded since its revision.
 * Younger pins keep subsets of them, so the oldest pin determines the bytes. Above a limit of pins
 * ({@link FanoutSettings.Limits#pinnedRevisions}) or bytes the oldest pin is dropped, and its
 * streams must release the revision. Thread-safe.
 */
final class PinnedRevisions implements HeapBudget.Pins {
  /** States per stream: the pinned revision and, while a net effect is sent, its target. */
  private static final int STATES_OF_A_STREAM = 2;

  private final WatchCache cache;
  private final int limit;
  private final TreeMap<Long, PinCount> pins = new TreeMap<>();

  /**
   * Highest revision number of a dropped pin: streams release this and earlier revisions.
   * Backfilled revisions have negative numbers.
   */
  private volatile long dropped = Long.MIN_VALUE;

  private static final class PinCount {
    final Revision revision;
    int streams;

    PinCount(Revision revision) {
      this.revision = revision;
    }
  }

  /** Pin of one stream, on at most one revision at a time. Used by one event loop. */
  final class Pin {
    private @Nullable Revision pinned;

    /** Moves the pin to the revision that the stream keeps alive, if it is behind history. */
    void moveTo(@Nullable Revision revision) {
      if (pinned != null && !pinned.equals(revision)) {
        release();
      }
      if (revision != null && revision.isTrimmed() && pinned == null) {
        pinned = revision;
        PinnedRevisions.this.pin(revision);
      }
    }

    /** Releases the pinned revision. */
    void release() {
      Revision held = pinned;
      if (held != null) {
        pinned = null;
        PinnedRevisions.this.release(held);
      }
    }
  }

  PinnedRevisions(WatchCache cache, int limit) {
    this.cache = cache;
    this.limit = limit;
  }

  private synchronized void pin(Revision revision) {
    pins.computeIfAbsent(revision.number(), number -> new PinCount(revision)).streams++;
    NavigableMap<Long, PinCount> kept = pins.tailMap(dropped, false);
    if (kept.size() > limit) {
      dropped = kept.firstKey();
    }
  }

  private synchronized void release(Revision revision) {
    PinCount pin = pins.get(revision.number());
    if (pin != null && --pin.streams == 0) {
      pins.remove(revision.number());
    }
  }

  /** Returns whether a stream may continue to pin the revision. */
  boolean canPin(Revision revision) {
    return cache.canPin(revision) && (revision.number() > dropped || !revision.isTrimmed());
  }

  /** Returns the number of pins, without those that streams have to release. */
  synchronized int count() {
    return pins.tailMap(dropped, false).size();
  }

  /**
   * Returns the bytes that only the pins keep alive. This is at most the bytes superseded since the
   * oldest pin. It is also at most the sum of the pinned states and of the states to which their
   * streams catch up. Pins that streams have to release do not count.
   */
  @Override
  public long bytes() {
    return bytes(revision -> !isLeaving(revision));
  }

  @Override
  public long releasedPinBytes() {
    return bytes(this::isLeaving);
  }

  private boolean isLeaving(Revision revision) {
    return revision.number() <= dropped || cache.isReleaseRequired(revision);
  }

  private synchronized long bytes(Predicate<Revision> counts) {
    Revision oldest = cache.oldest();
    Revision received = cache.oldestReceived();
    if (oldest == null || received == null) {
      return 0;
    }
    long superseded = 0;
    long held = 0;
    for (PinCount pin : pins.values()) {
      if (counts.test(pin.revision)) {
        // Backfilled history does not lead on from a revision that was trimmed before the backfill.
        Revision end = oldest.number() > pin.revision.number() ? oldest : received;
        superseded = Math.max(superseded, end.supersededBytes() - pin.revision.supersededBytes());
        held += pin.revision.state().objectBytes();
      }
    }
    return Math.min(superseded, STATES_OF_A_STREAM * held);
  }
}
