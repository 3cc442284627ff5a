package io.watchgate.fanout;

import io.watchgate.cache.KeyRange;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateCursor;
import io.watchgate.json.KubeObject;
import io.watchgate.proto.v1.EventType;
import io.watchgate.select.CompiledSelection;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Objects that a feed selects at one revision. */
final class SharedSnapshot extends SharedChunks {
  private final Revision revision;
  private final long taken;
  private final CompiledSelection selection;

  /** Null if the objects must be found by scanning. */
  private final @Nullable Iterator<KubeObject> found;

  private final Iterator<KeyRange> ranges;
  private @Nullable StateCursor cursor;

  /**
   * @param found revision, and its objects if they are known
   * @param taken monotonic time of the snapshot
   */
  SharedSnapshot(Feed feed, ScanBatcher.Found found, int limit, long taken) {
    super(feed.encoder(), limit);
    this.revision = found.at();
    this.taken = taken;
    this.selection = feed.selection();
    List<KubeObject> objects = found.objects();
    this.found = objects == null ? null : objects.iterator();
    this.ranges = SelectedKeyRanges.of(selection).iterator();
  }

  Revision revision() {
    return revision;
  }

  /**
   * Returns whether a further stream may be sent this snapshot.
   *
   * @param oldest minimum revision of the snapshot; null for any
   */
  boolean isJoinable(@Nullable Revision oldest, long nanoTime) {
    return start() != null
        && nanoTime - taken <= SnapshotSettings.DEFAULTS.joinableFor().toNanos()
        && (oldest == null || !revision.isBefore(oldest));
  }

  @Override
  @Nullable Item next() {
    if (found != null) {
      return found.hasNext() ? added(found.next()) : null;
    }
    StateCursor at = cursor;
    KubeObject object = at == null ? null : at.peek();
    while (object == null || at == null) {
      if (!ranges.hasNext()) {
        return null;
      }
      at = revision.state().cursor(ranges.next());
      cursor = at;
      object = at.peek();
    }
    at.advance();
    return selection.matches(object) ? added(object) : Item.NOTHING;
  }

  private static Item added(KubeObject object) {
    return encoder -> encoder.present(EventType.EVENT_TYPE_ADDED, object, null);
  }
}
