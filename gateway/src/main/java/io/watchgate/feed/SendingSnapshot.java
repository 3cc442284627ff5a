package io.watchgate.feed;

import io.watchgate.cache.Revision;
import io.watchgate.feed.SharedChunks.Chunk;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.Synced;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Sends everything that matches at one revision: that of a snapshot which others of the feed send
 * already, or the head when the stream can first be written to.
 */
final class SendingSnapshot implements Phase {
  private final StreamContext context;
  private final SnapshotReason reason;
  private final @Nullable Revision decided;
  private @Nullable Revision base;
  private @Nullable ChunkReader reader;

  SendingSnapshot(StreamContext context, SnapshotReason reason) {
    this.context = context;
    this.reason = reason;
    this.decided = context.cache().head();
  }

  @Override
  public @Nullable Phase step() {
    Revision revision = base;
    ChunkReader chunks = reader;
    if (revision == null || chunks == null) {
      start();
      return this;
    }
    return chunks.step() ? synced(revision, chunks) : this;
  }

  private void start() {
    Revision head = context.cache().head();
    if (head == null) {
      throw new IllegalStateException("a snapshot before the first list");
    }
    SharedSnapshot snapshot = snapshot(head);
    base = snapshot.revision();
    SnapshotReason now = reasonAt(snapshot.revision());
    context.metrics().snapshotStarted(context.type(), now);
    boolean all = Ranges.all(context.feed().selection());
    long estimate = all ? snapshot.revision().state().size() : 0;
    context
        .out()
        .signal(
            null,
            response ->
                response.setSnapshotStarted(
                    SnapshotStarted.newBuilder()
                        .setReason(now)
                        .setObjects(estimate)
                        .setHistoryId(context.feed().tokens().epoch().historyId())));
  }

  /** One that may be joined and is not older than what the stream was promised or has shown. */
  private SharedSnapshot snapshot(Revision head) {
    if (context.out().largest() >= SharedChunks.TARGET_BYTES) {
      boolean any =
          reason == SnapshotReason.SNAPSHOT_REASON_REQUESTED
              && context.settings().minimumVersion() == null;
      SharedSnapshot shared =
          context
              .feed()
              .snapshot(head, any || decided == null ? null : decided, context.time().nanoTime());
      Chunk start = shared.start();
      if (start != null) {
        reader = new ChunkReader(context, shared, start);
        return shared;
      }
    }
    SharedSnapshot own =
        new SharedSnapshot(context.feed(), head, context.out().target(), context.time().nanoTime());
    reader = ChunkReader.alone(context, own);
    return own;
  }

  /** Until the stream could be written to, the history that it stood in may have been lost. */
  private SnapshotReason reasonAt(Revision shown) {
    return reason == SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED
            && decided != null
            && !shown.isOfTheHistoryOf(decided)
        ? SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST
        : reason;
  }

  private Phase synced(Revision revision, ChunkReader chunks) {
    long staleness = context.cache().stalenessNanos(revision);
    chunks.finish(
        Position.of(revision),
        response ->
            response.setSynced(
                Synced.newBuilder()
                    .setObjects(chunks.events())
                    .setStaleness(ProtoTime.of(Duration.ofNanos(staleness)))));
    return CatchingUp.from(context, revision);
  }

  @Override
  public @Nullable Position position() {
    return null;
  }

  @Override
  public boolean isBehind() {
    return true;
  }

  @Override
  public @Nullable Revision standing() {
    return base == null ? decided : base;
  }

  /**
   * One that has not begun may be of a later state. Half a snapshot cannot be mended, only begun
   * anew, and who reads so slowly would not come to its end.
   */
  @Override
  public Phase letGo() {
    return base == null
        ? new SendingSnapshot(context, reasonAt(context.head()))
        : StreamContext.lagged();
  }
}
