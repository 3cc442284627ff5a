package io.watchgate.encode;

import io.watchgate.cache.Change;
import io.watchgate.cache.Revision;
import io.watchgate.encode.EventEncoder.EncodedEvent;
import io.watchgate.json.KubeObject;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.RemovalReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encoder of the events of one change in one projection. Each event is encoded once, for the first
 * feed that needs it, and is shared by all other feeds. Used by one thread.
 */
public final class ChangeEncoder {
  private final EventEncoder encoder;
  private @Nullable Change current;
  private @Nullable EncodedEvent added;
  private @Nullable EncodedEvent modified;
  private @Nullable EncodedEvent unmatched;
  private @Nullable EncodedEvent deleted;

  public ChangeEncoder(EventEncoder encoder) {
    this.encoder = encoder;
  }

  /**
   * Returns the event for feeds that selected the object before the change, after it, or both.
   *
   * @param all the changes of the revision, which drops them when it is trimmed
   */
  public EncodedEvent event(
      Revision revision, List<Change> all, Change change, boolean before, boolean after) {
    if (!change.equals(current)) {
      current = change;
      added = null;
      modified = null;
      unmatched = null;
      deleted = null;
    }
    KubeObject old = change.old();
    KubeObject now = change.now();
    if (now != null && after) {
      return before && old != null ? modified(revision, old, now) : added(revision, now);
    }
    if (old == null || !before) {
      throw new IllegalArgumentException("a change that is none to this feed");
    }
    return now == null ? deleted(revision, all, change, old) : unmatched(revision, old);
  }

  private EncodedEvent added(Revision revision, KubeObject now) {
    EncodedEvent event = added;
    if (event == null) {
      event =
          EncodedEvent.of(encoder.present(EventType.EVENT_TYPE_ADDED, now, revision.receivedAt()));
      added = event;
    }
    return event;
  }

  private EncodedEvent modified(Revision revision, KubeObject old, KubeObject now) {
    EncodedEvent event = modified;
    if (event == null) {
      event = encoder.modified(old, now, revision.receivedAt());
      modified = event;
    }
    return event;
  }

  private EncodedEvent unmatched(Revision revision, KubeObject old) {
    EncodedEvent event = unmatched;
    if (event == null) {
      event = removed(revision, old, RemovalReason.REMOVAL_REASON_NO_LONGER_MATCHES);
      unmatched = event;
    }
    return event;
  }

  private EncodedEvent deleted(Revision revision, List<Change> all, Change change, KubeObject old) {
    EncodedEvent event = deleted;
    if (event == null) {
      // A deletion together with a creation: the apiserver did not send the deletion, it was
      // inferred.
      event =
          removed(
              revision,
              old,
              all.size() > 1 || change.source() == Change.Source.INFERRED
                  ? RemovalReason.REMOVAL_REASON_INFERRED
                  : RemovalReason.REMOVAL_REASON_OBJECT_DELETED);
      deleted = event;
    }
    return event;
  }

  private EncodedEvent removed(Revision revision, KubeObject old, RemovalReason reason) {
    return EncodedEvent.of(
        encoder.removed(old, revision.version().digits(), reason, revision.receivedAt()));
  }
}
