package io.watchgate.http;

import io.watchgate.cache.Change;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateCursor;
import io.watchgate.cache.WatchCache;
import io.watchgate.http.BookmarkObject.Mark;
import io.watchgate.json.KubeObject;
import org.jspecify.annotations.Nullable;

/**
 * Position of one watch, and encoder of its next frames: first the objects of a state, if
 * requested, then the changes after it. A watch keeps only a revision, and within a state a cursor.
 * Used by one thread.
 */
final class WatchCursor {
  /**
   * Objects or revisions per call, so that a watch that matches few of many does not block its loop
   * for more than some milliseconds.
   */
  private static final int MAX_SCANNED = 4_096;

  private final WatchCache cache;
  private final ObjectFilter filter;
  private final WatchFrameWriter frames;
  private final ListOptions.Bookmarks bookmarks;

  /**
   * Version up to which nothing is sent, because the client claims to know it. Null after it was
   * passed.
   */
  private @Nullable ResourceVersion floor;

  /** Null once the watch has to end. */
  private @Nullable Revision at;

  /** Cursor within the state of {@link #at}, while that state is being sent. */
  private @Nullable StateCursor cursor;

  /** Result of {@link #fill}. */
  enum Progress {
    /** There is more to send. */
    MORE,
    /** All known changes were sent. */
    CAUGHT_UP,
    /** There will be no more frames. */
    ENDED
  }

  WatchCursor(
      WatchCache cache,
      ObjectFilter filter,
      WatchFrameWriter frames,
      ListOptions.Bookmarks bookmarks,
      HttpWatchStart.Position start) {
    this.cache = cache;
    this.filter = filter;
    this.frames = frames;
    this.bookmarks = bookmarks;
    switch (start) {
      case HttpWatchStart.WithState(Revision revision) -> {
        at = revision;
        cursor = revision.state().cursor(filter.range());
      }
      case HttpWatchStart.After(Revision revision, ResourceVersion known) -> {
        at = revision;
        floor = known.isAfter(revision.version()) ? known : null;
      }
    }
  }

  /** Appends frames until there are about {@code bytes} bytes. */
  Progress fill(ByteBuilder out, int bytes) {
    for (int looked = 0; looked < MAX_SCANNED && out.size() < bytes; looked++) {
      Revision revision = at;
      if (revision == null) {
        return Progress.ENDED;
      }
      StateCursor state = cursor;
      if (state != null) {
        nextObject(state, revision, out);
        continue;
      }
      Revision next = revision.next();
      if (next == null) {
        // The phase is read first: no revision follows an end, but one may be added before an end.
        boolean over = cache.upstreamState().phase().isEnd();
        if (revision.next() != null) {
          continue;
        }
        if (over || revision.isTrimmed()) {
          release();
          return Progress.ENDED;
        }
        return Progress.CAUGHT_UP;
      }
      apply(next, out);
    }
    return Progress.MORE;
  }

  private void nextObject(StateCursor state, Revision revision, ByteBuilder out) {
    KubeObject object = state.peek();
    if (object == null) {
      cursor = null;
      if (bookmarks == ListOptions.Bookmarks.WANTED) {
        frames.bookmark(revision.version(), Mark.INITIAL_EVENTS_END, out);
      }
      return;
    }
    if (filter.matches(object)) {
      frames.added(object, out);
    }
    state.advance();
  }

  private void apply(Revision next, ByteBuilder out) {
    switch (next.kind()) {
      case PROGRESS -> at = next;
      // Changes are missing. An apiserver ends its watches here too, and the client's next watch
      // finds its version expired.
      case RELIST, HISTORY_LOST -> release();
      case CHANGES -> {
        if (next.changes().isEmpty()) {
          release(); // trimmed after it was read
          return;
        }
        ResourceVersion known = floor;
        if (known == null || next.version().isAfter(known)) {
          next.changes().forEach(change -> change(change, next, out));
        }
        at = next;
      }
    }
    ResourceVersion known = floor;
    if (known != null && !known.isAfter(next.version())) {
      floor = null;
    }
  }

  private void change(Change change, Revision revision, ByteBuilder out) {
    KubeObject old = change.old();
    KubeObject now = change.now();
    boolean before = old != null && filter.matches(old);
    boolean after = now != null && filter.matches(now);
    boolean same = old != null && now != null && now.hasSameUidAs(old);
    if (now != null && after && before && same) {
      frames.modified(now, out);
      return;
    }
    if (old != null && before) {
      frames.deleted(old, revision.version(), out);
    }
    if (now != null && after) {
      frames.added(now, out);
    }
  }

  /** Appends a bookmark to a watch that has caught up, unless the watch wants none. */
  void bookmark(ByteBuilder out) {
    Revision revision = at;
    if (bookmarks == ListOptions.Bookmarks.WANTED && revision != null && floor == null) {
      frames.bookmark(revision.version(), Mark.PROGRESS, out);
    }
  }

  /** Returns whether the pinned state costs more than a slow reader may keep. */
  boolean isTooFarBehind() {
    Revision revision = at;
    return revision != null && !cache.canPin(revision);
  }

  /** Releases the pinned revision, and ends. */
  void release() {
    at = null;
    cursor = null;
  }
}
