package io.watchgate.client;

import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.NetEffectStarted;
import io.watchgate.proto.v1.SnapshotStarted;
import io.watchgate.proto.v1.Synced;
import io.watchgate.proto.v1.WatchEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Assembler of the responses of one stream into updates that are safe to apply. Outside a snapshot,
 * events are buffered until a response carries a token, whether or not a net effect was announced.
 * So the state of the listener and the token to resume from never differ. Each stream has its own
 * assembler, so an incomplete group is dropped with its stream. Confined to one thread at a time,
 * not thread-safe.
 */
final class UpdateAssembler {
  private final long maxGroupBytes;
  private List<WatchEvent> held = new ArrayList<>();
  private long heldBytes;
  private boolean inSnapshot;
  private @Nullable NetEffectStarted netEffect;

  UpdateAssembler(long maxGroupBytes) {
    this.maxGroupBytes = maxGroupBytes;
  }

  /**
   * Result of one response.
   *
   * @param updates in order
   * @param reached position once all updates are applied; null inside a group
   */
  record Step(List<WatchUpdate> updates, @Nullable Position reached) {}

  /** Signals that the buffered group exceeds its limit. */
  static final class GroupTooLargeException extends Exception {}

  Step accept(ListAndWatchResponse response) throws GroupTooLargeException {
    if (response.hasSnapshotStarted()) {
      return begin(response.getSnapshotStarted());
    }
    if (response.hasNetEffectStarted()) {
      netEffect = response.getNetEffectStarted();
    }
    return inSnapshot ? snapshot(response) : changes(response);
  }

  private Step begin(SnapshotStarted started) {
    inSnapshot = true;
    netEffect = null;
    release();
    return new Step(
        List.of(
            new WatchUpdate.SnapshotBegun(
                started.getReason(), started.getObjects(), started.getHistoryId())),
        null);
  }

  private Step snapshot(ListAndWatchResponse response) {
    List<WatchUpdate> updates = new ArrayList<>();
    if (response.getEventsCount() > 0) {
      updates.add(new WatchUpdate.SnapshotObjects(response.getEventsList()));
    }
    Position reached = null;
    if (response.hasSynced()) {
      inSnapshot = false;
      reached = position(response);
      Synced synced = response.getSynced();
      updates.add(
          new WatchUpdate.SnapshotComplete(
              reached, synced.getObjects(), WireTime.duration(synced.getStaleness())));
    } else if (response.hasBookmark()) {
      updates.add(bookmark(response, null));
    }
    return new Step(updates, reached);
  }

  private Step changes(ListAndWatchResponse response) throws GroupTooLargeException {
    List<WatchUpdate> updates = new ArrayList<>();
    Position reached = response.getResumeToken().isEmpty() ? null : position(response);
    held.addAll(response.getEventsList());
    if (reached == null) {
      heldBytes += response.getEventsCount() == 0 ? 0 : response.getSerializedSize();
      if (heldBytes > maxGroupBytes) {
        throw new GroupTooLargeException();
      }
    } else if (!held.isEmpty() || netEffect != null) {
      updates.add(
          new WatchUpdate.Changes(
              held, reached, Optional.ofNullable(netEffect).map(this::toNetEffect)));
      netEffect = null;
      release();
    }
    if (response.hasBookmark()) {
      updates.add(bookmark(response, reached));
    }
    return new Step(updates, reached);
  }

  private void release() {
    held = new ArrayList<>();
    heldBytes = 0;
  }

  private WatchUpdate.NetEffect toNetEffect(NetEffectStarted started) {
    return new WatchUpdate.NetEffect(started.getReason(), started.getEventsReplaced());
  }

  private static Position position(ListAndWatchResponse response) {
    return new Position(response.getResourceVersion(), response.getResumeToken());
  }

  private static WatchUpdate bookmark(ListAndWatchResponse response, @Nullable Position reached) {
    io.watchgate.proto.v1.Bookmark wire = response.getBookmark();
    return new WatchUpdate.Bookmark(
        Optional.ofNullable(reached),
        wire.hasVerifiedAt() ? WireTime.instant(wire.getVerifiedAt()) : Optional.empty(),
        wire.hasSentAt() ? WireTime.instant(wire.getSentAt()) : Optional.empty());
  }
}
