package io.watchgate.feed;

import io.watchgate.cache.KeyRange;
import io.watchgate.cache.Revision;
import io.watchgate.cache.StateCursor;
import io.watchgate.json.ObjectView;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** Sends everything that matches at one revision, taken when the stream can first be written to. */
final class SendingSnapshot implements Phase {
  /**
   * Objects looked at in one step, so that one who wants few of many does not hold up its owner:
   * some milliseconds.
   */
  private static final int LOOKED_AT = 4_096;

  private final StreamContext context;
  private final SnapshotReason reason;
  private final @Nullable Revision decided;
  private @Nullable Revision base;
  private @Nullable Iterator<KeyRange> ranges;
  private @Nullable StateCursor cursor;
  private long sent;

  SendingSnapshot(StreamContext context, SnapshotReason reason) {
    this.context = context;
    this.reason = reason;
    this.decided = context.cache().head();
  }

  @Override
  public @Nullable Phase step() {
    Revision revision = base;
    Iterator<KeyRange> rest = ranges;
    if (revision == null || rest == null) {
      start();
      return this;
    }
    for (int looked = 0; looked < LOOKED_AT; looked++) {
      ObjectView object = cursor == null ? null : cursor.peek();
      if (object == null || cursor == null) {
        if (!rest.hasNext()) {
          return synced(revision);
        }
        cursor = revision.state().cursor(rest.next());
        continue;
      }
      if (context.selection().matches(object)) {
        WatchEvent event = context.encoder().listed(object);
        if (!context.out().fits(event)) {
          context.out().flush(null);
          return this;
        }
        context.out().add(event);
        sent++;
      }
      cursor.advance();
    }
    context.out().flush(null);
    return this;
  }

  private void start() {
    Revision head = context.cache().head();
    if (head == null) {
      throw new IllegalStateException("a snapshot before the first list");
    }
    base = head;
    ranges = context.ranges().iterator();
    SnapshotReason now = reasonAt(head);
    context.metrics().snapshotStarted(context.type(), now);
    long estimate = Ranges.all(context.selection()) ? head.state().size() : 0;
    context
        .out()
        .signal(
            null,
            response ->
                response.setSnapshotStarted(
                    SnapshotStarted.newBuilder()
                        .setReason(now)
                        .setObjects(estimate)
                        .setHistoryId(context.tokens().epoch().historyId())));
  }

  /** Until the stream could be written to, the history that it stood in may have been lost. */
  private SnapshotReason reasonAt(Revision head) {
    return reason == SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED
            && decided != null
            && !head.isOfTheHistoryOf(decided)
        ? SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST
        : reason;
  }

  private Phase synced(Revision revision) {
    long staleness = context.cache().stalenessNanos(revision);
    context
        .out()
        .signal(
            Position.of(revision),
            response ->
                response.setSynced(
                    Synced.newBuilder()
                        .setObjects(sent)
                        .setStaleness(ProtoTime.of(Duration.ofNanos(staleness)))));
    return new Following(context, revision, null);
  }

  @Override
  public @Nullable Position position() {
    return null;
  }

  @Override
  public @Nullable Revision standing() {
    return base;
  }

  /**
   * Half a snapshot cannot be mended, only begun anew, and who reads so slowly would not come to
   * its end.
   */
  @Override
  public Phase letGo() {
    return StreamContext.lagged();
  }
}
