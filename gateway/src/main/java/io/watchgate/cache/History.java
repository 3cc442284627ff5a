package io.watchgate.cache;

import java.time.Duration;
import java.util.ArrayDeque;
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

  private final Limits limits;
  private final ArrayDeque<Revision> revisions = new ArrayDeque<>();

  /** How much history is kept: whichever bound is reached first ends it. */
  record Limits(Duration age, long bytes) {}

  History(Limits limits) {
    this.limits = limits;
  }

  synchronized void append(Revision revision) {
    Revision last = revisions.peekLast();
    revisions.addLast(revision);
    if (last != null) {
      last.append(revision);
    }
  }

  /** Cuts off what is beyond the bounds. Returns how many revisions went. */
  synchronized int trim(long nanoTime) {
    Revision head = revisions.getLast();
    int trimmed = 0;
    while (revisions.size() > 1) {
      Revision oldest = revisions.getFirst();
      boolean tooLarge = head.superseded() - oldest.superseded() > limits.bytes();
      // What counts is how long ago the successor came: until then the oldest was the present.
      Revision second = oldest.next();
      boolean tooOld = second != null && nanoTime - second.receivedNanos() > limits.age().toNanos();
      if (!tooLarge && !tooOld) {
        break;
      }
      revisions.removeFirst();
      oldest.trim();
      trimmed++;
    }
    return trimmed;
  }

  synchronized @Nullable Revision oldest() {
    return revisions.peekFirst();
  }

  synchronized int size() {
    return revisions.size();
  }

  /**
   * The last revision at or below {@code version}, null when that is further back than history
   * reaches or before the history that versions compare in.
   */
  synchronized @Nullable Revision floor(ResourceVersion version) {
    Revision found = null;
    // Newest first: most who resume were cut off a moment ago. Versions below a lost history do not
    // compare.
    for (var i = revisions.descendingIterator(); i.hasNext(); ) {
      Revision revision = i.next();
      if (!revision.version().isAfter(version)) {
        found = revision;
        break;
      }
      if (revision.kind() == Revision.Kind.HISTORY_LOST) {
        break;
      }
    }
    return found;
  }
}
