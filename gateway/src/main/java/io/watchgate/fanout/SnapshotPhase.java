package io.watchgate.fanout;

import io.watchgate.cache.Revision;
import io.watchgate.fanout.SharedChunks.Chunk;
import io.watchgate.json.KubeObject;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.Synced;
import io.watchgate.select.CompiledSelection;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends everything that matches at one revision: that of a snapshot which others of the feed send
 * already, or the head when it may begin, which is once it is admitted and what matches was found.
 */
final class SnapshotPhase implements Phase {
  /** Charged for what has to be searched, until it is known. */
  private static final long UNKNOWN = 64 << 10;

  private final StreamContext context;
  private final SnapshotReason reason;

  /** The head when it was decided; null once it has begun. */
  private @Nullable Revision decided;

  private SnapshotAdmission.@Nullable Ticket ticket;
  private Searching searching = Searching.NOT_YET;
  private ScanBatcher.@Nullable Found found;
  private @Nullable Revision base;
  private @Nullable ChunkReader reader;

  private enum Searching {
    NOT_YET,
    ASKED,
    FAILED
  }

  SnapshotPhase(StreamContext context, SnapshotReason reason) {
    this(context, reason, null);
  }

  private SnapshotPhase(
      StreamContext context, SnapshotReason reason, SnapshotAdmission.@Nullable Ticket ticket) {
    this.context = context;
    this.reason = reason;
    this.decided = context.cache().head();
    this.ticket = ticket;
  }

  @Override
  public @Nullable Phase step() {
    Revision revision = base;
    ChunkReader chunks = reader;
    if (revision != null && chunks != null) {
      return chunks.step() ? synced(revision, chunks) : this;
    }
    try {
      return isAdmitted() && begin() ? this : null;
    } catch (ApiException e) {
      return new Ended(e.refusal());
    }
  }

  private boolean isAdmitted() throws ApiException {
    SnapshotAdmission.Ticket place = ticket;
    if (place == null) {
      if (context.cache().isHeapShort()) {
        throw new ApiException(StreamErrors.heapIsFull());
      }
      CompiledSelection selection = context.feed().selection();
      long estimate = KeyRanges.areSearched(selection) ? UNKNOWN : everything(context.head());
      place = context.account().snapshot(estimate, context.stream()::wake);
      ticket = place;
    }
    return place.isAdmitted();
  }

  private long everything(Revision revision) {
    return context
        .feed()
        .projection()
        .estimate(revision.state().objectBytes(), revision.state().size());
  }

  /** False while what is to be sent has to be found. */
  private boolean begin() {
    SharedSnapshot snapshot = joinable();
    if (snapshot == null) {
      ScanBatcher.Found what = found();
      if (what == null) {
        return false;
      }
      snapshot = snapshot(what);
    }
    base = snapshot.revision();
    SnapshotReason now = reasonAt(snapshot.revision());
    context.metrics().snapshotStarted(context.type(), now);
    boolean all = context.feed().selection().selectsEverything();
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
    decided = null; // it stands on another one now, and would keep this one alive
    return true;
  }

  /** One that others send already, if it may be joined. */
  private @Nullable SharedSnapshot joinable() {
    if (!takesChunks()) {
      return null;
    }
    SharedSnapshot shared = context.feed().joinable(oldest(), context.time().nanoTime());
    Chunk start = shared == null ? null : shared.start();
    if (shared == null || start == null) {
      return null;
    }
    reader = new ChunkReader(context, shared, start);
    return shared;
  }

  /** Of what was found: shared if it can be. */
  private SharedSnapshot snapshot(ScanBatcher.Found what) {
    long now = context.time().nanoTime();
    if (takesChunks()) {
      SharedSnapshot shared = context.feed().snapshot(what, oldest(), now);
      Chunk start = shared.start();
      if (start != null) {
        reader = new ChunkReader(context, shared, start);
        return shared;
      }
    }
    SharedSnapshot own = new SharedSnapshot(context.feed(), what, context.out().target(), now);
    reader = ChunkReader.alone(context, own);
    return own;
  }

  private boolean takesChunks() {
    return context.out().largest() >= SharedChunks.TARGET_BYTES;
  }

  /** What is sent is not older than what the stream was promised or has shown; null: it may be. */
  private @Nullable Revision oldest() {
    return reason == SnapshotReason.SNAPSHOT_REASON_REQUESTED
            && context.settings().minimumVersion() == null
        ? null
        : decided;
  }

  /** Null until it is known what there is to send. */
  private ScanBatcher.@Nullable Found found() {
    if (found == null && !KeyRanges.areSearched(context.feed().selection())) {
      found = new ScanBatcher.Found(context.head(), null);
    }
    if (found == null) {
      switch (searching) {
        case NOT_YET -> {
          searching = Searching.ASKED;
          context.router().searches().ask(context.feed(), new Answer());
        }
        case ASKED -> {}
        case FAILED -> throw new IllegalStateException("what matches is not known");
      }
    }
    return found;
  }

  /** Comes on the thread of the search. */
  private final class Answer implements ScanBatcher.Answer {
    @Override
    public void found(ScanBatcher.Found what) {
      context.stream()
          .execute(
              () -> {
                found = what;
                amountsTo(what);
                context.stream().turn();
              });
    }

    @Override
    public void failed() {
      context.stream()
          .execute(
              () -> {
                searching = Searching.FAILED;
                context.stream().turn();
              });
    }
  }

  private void amountsTo(ScanBatcher.Found what) {
    SnapshotAdmission.Ticket place = ticket;
    List<KubeObject> objects = what.objects();
    if (place != null) {
      place.amountsTo(
          objects == null
              ? everything(what.at())
              : objects.stream().mapToLong(object -> object.bytes().length).sum());
    }
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
    return CatchUpPhase.from(context, revision);
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
    if (base != null) {
      return StreamContext.lagged();
    }
    SnapshotAdmission.Ticket place = ticket;
    ticket = null; // it keeps its turn
    return new SnapshotPhase(context, reasonAt(context.head()), place);
  }

  /**
   * Others take its place; one that has begun goes on without, one that has not asks for all again:
   * what was found would be of a state that it does not stand on.
   */
  @Override
  public Phase stalls() {
    giveBackPlace();
    if (base == null) {
      ticket = null;
      found = null;
      searching = Searching.NOT_YET;
    }
    return this;
  }

  @Override
  public void leave() {
    giveBackPlace();
    if (reader != null) {
      reader.close();
    }
  }

  private void giveBackPlace() {
    SnapshotAdmission.Ticket place = ticket;
    if (place != null) {
      place.close();
    }
  }
}
