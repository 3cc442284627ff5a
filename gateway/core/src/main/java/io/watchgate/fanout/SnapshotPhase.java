package io.watchgate.fanout;

import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.Revision;
import io.watchgate.encode.Position;
import io.watchgate.encode.ProtoTime;
import io.watchgate.error.ApiException;
import io.watchgate.error.LimitErrors;
import io.watchgate.error.UpstreamErrors;
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
 * Phase that sends all matching objects at one revision. That is the revision of a snapshot which
 * other streams of the feed are sending, or the head at the start. A snapshot starts once it is
 * admitted and the matching objects are found.
 */
final class SnapshotPhase implements Phase {
  /** Estimated bytes of a snapshot that needs a scan, until the objects are found. */
  private static final long ESTIMATE_BEFORE_SCAN = 64 << 10;

  private static final long TICKET_SECONDS = SnapshotSettings.DEFAULTS.ticketTime().toSeconds();

  private final PhaseMachine.Context context;
  private final SnapshotReason reason;
  private final FreshnessGate freshness;

  /**
   * Minimum version of the snapshot; null: any. The minimum of the request does not count for a
   * stream that had reached it before its history was lost.
   */
  private final @Nullable ResourceVersion minimum;

  /** Head when this phase was created; null after the start. */
  private @Nullable Revision headAtCreation;

  private SnapshotAdmission.@Nullable Ticket ticket;
  private long secondsInProgress;

  /** Search for the objects; null: none yet, and the answers of all searches so far are ignored. */
  private @Nullable ObjectSearch search;

  private @Nullable Revision base;

  /** Position of the end; null before the start. */
  private @Nullable Position end;

  private @Nullable ChunkReader reader;
  private FanoutMetrics.StartedSnapshot measured = FanoutMetrics.StartedSnapshot.NONE;

  /** Bytes of all responses of the stream before the snapshot. */
  private long bytesBefore;

  SnapshotPhase(PhaseMachine.Context context, SnapshotReason reason) {
    this(context, reason, null);
  }

  private SnapshotPhase(
      PhaseMachine.Context context,
      SnapshotReason reason,
      SnapshotAdmission.@Nullable Ticket ticket) {
    this.context = context;
    this.reason = reason;
    this.freshness = new FreshnessGate(context);
    this.headAtCreation = context.cache().head();
    this.minimum = minimum(context, reason, headAtCreation);
    this.ticket = ticket;
  }

  private static @Nullable ResourceVersion minimum(
      PhaseMachine.Context context, SnapshotReason reason, @Nullable Revision head) {
    ResourceVersion minimum = context.settings().minimumVersion();
    boolean counts =
        reason == SnapshotReason.SNAPSHOT_REASON_REQUESTED
            || (head != null && context.cache().proofs().versionNotBefore(head, minimum) != null);
    return counts ? minimum : null;
  }

  @Override
  public StreamState.Activity activity() {
    return StreamState.Activity.SNAPSHOT;
  }

  @Override
  public @Nullable Phase advance() {
    Revision revision = base;
    ChunkReader chunks = reader;
    if (revision != null && chunks != null) {
      return chunks.sendNext()
          ? synced(revision, end == null ? Position.of(revision) : end, chunks)
          : this;
    }
    try {
      return freshness.isOpenOrRequestProof(context.head()) && isAdmitted() && begin()
          ? this
          : null;
    } catch (ApiException e) {
      return new Ended(e.error());
    }
  }

  private boolean isAdmitted() throws ApiException {
    SnapshotAdmission.Ticket current = ticket;
    if (current == null) {
      if (context.cache().isHeapShort()) {
        throw new ApiException(LimitErrors.heapFull());
      }
      CompiledSelection selection = context.feed().selection();
      long estimate =
          SelectedKeyRanges.requireScan(selection)
              ? ESTIMATE_BEFORE_SCAN
              : estimateAll(context.head());
      current = context.userResources().snapshot(estimate, context.stream()::wake);
      ticket = current;
    }
    return current.isAdmitted();
  }

  private long estimateAll(Revision revision) {
    return context
        .feed()
        .format()
        .projection()
        .estimate(revision.state().objectBytes(), revision.state().size());
  }

  /** Starts the snapshot. Returns false while the objects to send are not found. */
  private boolean begin() throws ApiException {
    SharedSnapshot snapshot = joinable();
    if (snapshot == null) {
      ScanBatcher.Found results = found();
      if (results == null) {
        return false;
      }
      if (!freshness.isOpenOrRequestProof(results.at())) {
        discardFound(); // the state changed after the proof
        return false;
      }
      snapshot = snapshot(results);
    }
    base = snapshot.revision();
    end = endOf(snapshot.revision());
    SnapshotReason now = reasonAt(snapshot.revision());
    measured = context.metrics().snapshotStarted(context.type(), now, context.stream());
    bytesBefore = context.out().sentBytes();
    boolean all = context.feed().selection().selectsEverything();
    long estimate = all ? snapshot.revision().state().size() : 0;
    context
        .out()
        .begin(
            null,
            response ->
                response.setSnapshotStarted(
                    SnapshotStarted.newBuilder()
                        .setReason(now)
                        .setObjects(estimate)
                        .setHistoryId(context.feed().format().historyId())));
    headAtCreation = null; // another revision is pinned now, and this would keep the old one alive
    return true;
  }

  /**
   * Returns the position of a snapshot of a revision. It is later than the revision if {@code
   * minimum_resource_version} is, or if a fresh state was asked for, and the states of both were
   * proven equal.
   *
   * @throws ApiException BEHIND if the revision is no longer known to be the state at that version:
   *     another one was proven meanwhile, or the history is in doubt
   */
  private Position endOf(Revision revision) throws ApiException {
    ResourceVersion version =
        context.settings().maxStaleness() != null && minimum == null
            ? context.cache().proofs().latestVersion(revision)
            : context.cache().proofs().versionNotBefore(revision, minimum);
    if (version == null) {
      throw new ApiException(
          UpstreamErrors.streamBehind(
              "minimum_resource_version",
              String.valueOf(minimum),
              context.type().groupResource(),
              revision.version().toString()));
    }
    return new Position(version, revision.digest());
  }

  /** Joins a snapshot that other streams are sending. Returns null if there is none. */
  private @Nullable SharedSnapshot joinable() {
    if (!canShareChunks()) {
      return null;
    }
    SharedSnapshot shared =
        context.feed().joinableSnapshot(minimumRevision(), context.time().nanoTime());
    if (shared == null || !freshness.isOpenFor(shared.revision())) {
      return null;
    }
    Chunk start = shared.start();
    if (start == null) {
      return null;
    }
    reader = new ChunkReader(context, shared, start);
    return shared;
  }

  /** Returns a snapshot of the objects that were found, shared with other streams if possible. */
  private SharedSnapshot snapshot(ScanBatcher.Found results) {
    long now = context.time().nanoTime();
    if (canShareChunks()) {
      SharedSnapshot shared =
          context
              .feed()
              .getOrCreateSnapshot(
                  results, freshness.isAlwaysOpen() ? minimumRevision() : results.at(), now);
      Chunk start = shared.start();
      if (start != null) {
        reader = new ChunkReader(context, shared, start);
        return shared;
      }
    }
    SharedSnapshot own =
        new SharedSnapshot(context.feed(), results, context.out().targetBytes(), now);
    reader = ChunkReader.unshared(context, own);
    return own;
  }

  private boolean canShareChunks() {
    return context.out().maxEventBytes() >= FanoutSettings.MAX_CHUNK_BYTES;
  }

  /**
   * Returns the minimum revision: no older than what the stream was promised or has sent. Null for
   * any.
   */
  private @Nullable Revision minimumRevision() {
    return reason == SnapshotReason.SNAPSHOT_REASON_REQUESTED
            && context.settings().minimumVersion() == null
        ? null
        : headAtCreation;
  }

  /** Returns the objects to send; null until they are found. */
  private ScanBatcher.@Nullable Found found() {
    ObjectSearch current = search;
    if (current == null) {
      current = new ObjectSearch();
      search = current;
      if (SelectedKeyRanges.requireScan(context.feed().selection())) {
        context.router().scans().request(context.feed(), current);
      } else {
        current.results = new ScanBatcher.Found(context.head(), null);
      }
    }
    if (current.isFailed) {
      throw new IllegalStateException("the scan for the objects failed");
    }
    return current.results;
  }

  /** Search for the objects by a scan, whose thread calls it. */
  private final class ObjectSearch implements ScanBatcher.Callback {
    ScanBatcher.@Nullable Found results;
    boolean isFailed;

    @Override
    public void found(ScanBatcher.Found found) {
      context.stream()
          .execute(
              () -> {
                if (search == this) {
                  results = found;
                  updateTicket(found);
                  context.stream().runOnce();
                }
              });
    }

    @Override
    public void failed() {
      context.stream()
          .execute(
              () -> {
                if (search == this) {
                  isFailed = true;
                  context.stream().runOnce();
                }
              });
    }
  }

  private void updateTicket(ScanBatcher.Found results) {
    SnapshotAdmission.Ticket current = ticket;
    List<KubeObject> objects = results.objects();
    if (current != null) {
      current.setBytes(
          objects == null
              ? estimateAll(results.at())
              : objects.stream().mapToLong(object -> object.bytes().length).sum());
    }
  }

  /**
   * Returns the reason of a snapshot at a revision. The history of the stream's former position may
   * have been lost before the stream could be written to.
   */
  private SnapshotReason reasonAt(Revision shown) {
    return reason == SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED
            && headAtCreation != null
            && !shown.isSameHistoryAs(headAtCreation)
        ? SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST
        : reason;
  }

  private Phase synced(Revision revision, Position position, ChunkReader chunks) {
    long staleness = context.cache().proofs().stalenessNanos(revision);
    chunks.finish(
        position,
        response ->
            response.setSynced(
                Synced.newBuilder()
                    .setObjects(chunks.eventCount())
                    .setStaleness(ProtoTime.of(Duration.ofNanos(staleness)))));
    measured.completed(chunks.eventCount(), context.out().sentBytes() - bytesBefore);
    return position.version().equals(revision.version())
        ? CatchUpPhase.from(context, revision)
        : PrivateReplayPhase.fromProvenPosition(context, revision, position);
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
  public @Nullable Revision pinnedRevision() {
    return base == null ? headAtCreation : base;
  }

  /**
   * Returns the phase after the pin was revoked. A snapshot that has not started can use a later
   * state. A started one cannot be repaired, only restarted, and a client that reads so slowly
   * would not reach its end.
   */
  @Override
  public Phase afterPinLoss() {
    if (base != null) {
      return LaggardPolicy.onStateReleased();
    }
    SnapshotAdmission.Ticket current = ticket;
    ticket = null; // the new phase keeps the ticket
    return new SnapshotPhase(context, reasonAt(context.head()), current);
  }

  /**
   * Returns the ticket to other streams. A started snapshot continues without it. A snapshot that
   * has not started requests everything again: the found objects would be of a state that is not
   * pinned.
   */
  @Override
  public Phase onStall() {
    releaseTicket();
    if (base == null) {
      ticket = null;
      discardFound();
    }
    return this;
  }

  @Override
  public void onSecond() {
    if (base != null && ++secondsInProgress >= TICKET_SECONDS) {
      releaseTicket();
    }
  }

  /** Discards the found objects, so that they are searched again. */
  private void discardFound() {
    search = null;
  }

  @Override
  public void leave() {
    releaseTicket();
    if (reader != null) {
      reader.close();
    }
  }

  private void releaseTicket() {
    SnapshotAdmission.Ticket current = ticket;
    if (current != null) {
      current.close();
    }
  }
}
