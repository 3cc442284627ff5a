package io.watchgate.feed;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.json.ObjectView;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.RemovalReason;
import org.jspecify.annotations.Nullable;

/**
 * The events that one change makes, in one projection: each is encoded once, for the first feed
 * that wants it, and shared by all others. Used by one thread.
 */
final class ChangeEvents {
  private final EventEncoder encoder;
  private @Nullable Change current;
  private @Nullable Slices added;
  private @Nullable Slices modified;
  private @Nullable Slices left;
  private @Nullable Slices deleted;

  ChangeEvents(EventEncoder encoder) {
    this.encoder = encoder;
  }

  /** The event for those who selected the object before, or select it now, or both. */
  Slices event(Revision revision, Change change, boolean before, boolean after) {
    if (!change.equals(current)) {
      current = change;
      added = null;
      modified = null;
      left = null;
      deleted = null;
    }
    ObjectView old = change.old();
    ObjectView now = change.now();
    if (now != null && after) {
      return before ? modified(revision, now) : added(revision, now);
    }
    if (old == null || !before) {
      throw new IllegalArgumentException("a change that is none to this feed");
    }
    return now == null ? deleted(revision, old) : left(revision, old);
  }

  private Slices added(Revision revision, ObjectView now) {
    Slices event = added;
    if (event == null) {
      event = encoder.present(EventType.EVENT_TYPE_ADDED, now, revision.receivedAt());
      added = event;
    }
    return event;
  }

  private Slices modified(Revision revision, ObjectView now) {
    Slices event = modified;
    if (event == null) {
      event = encoder.present(EventType.EVENT_TYPE_MODIFIED, now, revision.receivedAt());
      modified = event;
    }
    return event;
  }

  private Slices left(Revision revision, ObjectView old) {
    Slices event = left;
    if (event == null) {
      event = removed(revision, old, RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES);
      left = event;
    }
    return event;
  }

  private Slices deleted(Revision revision, ObjectView old) {
    Slices event = deleted;
    if (event == null) {
      // A delete and a creation in one: the apiserver did not send the delete, it was concluded.
      event =
          removed(
              revision,
              old,
              revision.changes().size() > 1
                  ? RemovalReason.REMOVAL_REASON_INFERRED
                  : RemovalReason.REMOVAL_REASON_OBJECT_DELETED);
      deleted = event;
    }
    return event;
  }

  private Slices removed(Revision revision, ObjectView old, RemovalReason reason) {
    return encoder.removed(old, revision.version().digits(), reason, revision.receivedAt());
  }
}
