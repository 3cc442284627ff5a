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
  private final boolean takesPatches;
  private List<WatchEvent> held = new ArrayList<>();
  private long heldBytes;
  private boolean inSnapshot;
  private @Nullable NetEffectStarted netEffect;

  /**
   * @param takesPatches whether the listener requested patches
   */
  UpdateAssembler(long maxGroupBytes, boolean takesPatches) {
    this.maxGroupBytes = maxGroupBytes;
    this.takesPatches = takesPatches;
  }

  /**
   * Result of one response.
   *
   * @param updates in order
   * @param reached position once all updates are applied; null inside a group
   */
  record Step(List<WatchUpdate> updates, @Nullable Position reached) {}

  /** Signals a response that cannot be used. The next stream starts with a snapshot. */
  static final class UnusableException extends Exception {
    private final transient Interruption cause;

    UnusableException(Interruption cause) {
      this.cause = cause;
    }

    Interruption interruption() {
      return cause;
    }
  }

  Step accept(ListAndWatchResponse response) throws UnusableException {
    for (WatchEvent event : response.getEventsList()) {
      if (!canApply(event)) {
        throw new UnusableException(new Interruption.Failed(WatchError.unknownEvent()));
      }
    }
    if (response.hasSnapshotStarted()) {
      return begin(response.getSnapshotStarted());
    }
    if (response.hasNetEffectStarted()) {
      netEffect = response.getNetEffectStarted();
    }
    return inSnapshot ? snapshot(response) : changes(response);
  }

  private boolean canApply(WatchEvent event) {
    return switch (event.getType()) {
      case EVENT_TYPE_ADDED, EVENT_TYPE_MODIFIED, EVENT_TYPE_DELETED ->
          takesPatches || !event.hasPatch();
      case EVENT_TYPE_UNSPECIFIED, UNRECOGNIZED -> false;
    };
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

  private Step changes(ListAndWatchResponse response) throws UnusableException {
    List<WatchUpdate> updates = new ArrayList<>();
    Position reached = response.getResumeToken().isEmpty() ? null : position(response);
    held.addAll(response.getEventsList());
    if (reached == null) {
      heldBytes += response.getEventsCount() == 0 ? 0 : response.getSerializedSize();
      if (heldBytes > maxGroupBytes) {
        throw new UnusableException(new Interruption.GroupTooLarge(maxGroupBytes));
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
