package io.watchgate.feed;

import io.watchgate.cache.KeyRange;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateCursor;
import io.watchgate.json.ObjectView;
import io.watchgate.proto.v1.EventType;
import io.watchgate.select.Selection;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** Everything that a feed selects at one revision. */
final class SharedSnapshot extends SharedChunks {
  private final Revision revision;
  private final long taken;
  private final Selection selection;
  private final Iterator<KeyRange> ranges;
  private @Nullable StateCursor cursor;

  /**
   * @param taken when, on the clock that durations are measured on
   */
  SharedSnapshot(Feed feed, Revision revision, int limit, long taken) {
    super(feed.encoder(), limit);
    this.revision = revision;
    this.taken = taken;
    this.selection = feed.selection();
    this.ranges = Ranges.of(selection).iterator();
  }

  Revision revision() {
    return revision;
  }

  long taken() {
    return taken;
  }

  @Override
  @Nullable Item next() {
    StateCursor at = cursor;
    ObjectView object = at == null ? null : at.peek();
    while (object == null || at == null) {
      if (!ranges.hasNext()) {
        return null;
      }
      at = revision.state().cursor(ranges.next());
      cursor = at;
      object = at.peek();
    }
    at.advance();
    ObjectView found = object;
    return selection.matches(found)
        ? encoder -> encoder.present(EventType.EVENT_TYPE_ADDED, found, null)
        : Item.NOTHING;
  }
}
