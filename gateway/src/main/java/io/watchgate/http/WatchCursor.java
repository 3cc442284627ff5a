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
 * Where one watch stands, and what comes next: first the objects of a state, if they are wanted,
 * then the changes after it. All that a watch holds is a revision, and within a state a cursor.
 * Belongs to one thread.
 */
final class WatchCursor {
  /** So that a watch that wants few of many does not hold up its loop: some milliseconds. */
  private static final int LOOKED_AT = 4_096;

  private final WatchCache cache;
  private final ObjectFilter filter;
  private final WatchFrameWriter frames;
  private final ListOptions.Bookmarks bookmarks;

  /** Nothing up to this version is sent: the client claims to know it. Null if it is passed. */
  private @Nullable ResourceVersion floor;

  /** Null once the watch has to end. */
  private @Nullable Revision at;

  /** Within the state there, while that is being sent. */
  private @Nullable StateCursor cursor;

  /** What {@link #fill} left to do. */
  enum Progress {
    /** There is more. */
    MORE,
    /** Everything that is known was sent. */
    CAUGHT_UP,
    /** Nothing more will come. */
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

  /** Appends frames until there are about so many bytes. */
  Progress fill(ByteBuilder out, int bytes) {
    for (int looked = 0; looked < LOOKED_AT && out.size() < bytes; looked++) {
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
        // The phase first: nothing comes after an end, but it may come before one.
        boolean over = cache.upstream().phase().isEnd();
        if (revision.next() != null) {
          continue;
        }
        if (over || revision.trimmed()) {
          letGo();
          return Progress.ENDED;
        }
        return Progress.CAUGHT_UP;
      }
      go(next, out);
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

  private void go(Revision next, ByteBuilder out) {
    switch (next.kind()) {
      case PROGRESS -> at = next;
      // Not every change is known: an apiserver cuts its watches as well, and the next one from
      // there finds its version expired.
      case RELIST, HISTORY_LOST -> letGo();
      case CHANGES -> {
        if (next.changes().isEmpty()) {
          letGo(); // trimmed since we saw it
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
    boolean same = old != null && now != null && now.sameUidAs(old);
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

  /** Appends a bookmark, for a watch that has caught up; nothing if it does not want any. */
  void bookmark(ByteBuilder out) {
    Revision revision = at;
    if (bookmarks == ListOptions.Bookmarks.WANTED && revision != null && floor == null) {
      frames.bookmark(revision.version(), Mark.PROGRESS, out);
    }
  }

  /** Whether the state that this stands on costs more than a slow reader may. */
  boolean isTooFarBehind() {
    Revision revision = at;
    return revision != null && !cache.mayStandOn(revision);
  }

  /** Forgets where it stood, and ends. */
  void letGo() {
    at = null;
    cursor = null;
  }
}
