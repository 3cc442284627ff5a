package io.watchgate.informer;

import io.watchgate.client.WatchUpdate;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Applier of watch updates: computes the next snapshot and its changes. Confined to one thread at a
 * time, not thread-safe.
 */
final class UpdateApplier<T> {
  /**
   * Number of outdated snapshots in a row that are attributed to a lagging replica. The next one is
   * accepted: a cluster may have been restored without an announcement.
   */
  static final int MAX_OUTDATED_SNAPSHOTS = 8;

  private final EventDecoder<T> decoder;
  private Snapshot<T> held;
  private @Nullable Arriving<T> arriving;

  /** History id of the current snapshot. */
  private String historyId = "";

  /**
   * True from the announcement that the timeline was lost until the next complete snapshot. A
   * restored cluster has the same history id, and the snapshot of the next stream has the reason
   * "requested".
   */
  private boolean expectsOtherHistory;

  /** True if only a snapshot may follow, because the set of objects is unknown. */
  private boolean isSnapshotDue = true;

  /** Complete snapshots in a row that were older than the current one. */
  private int outdatedSnapshots;

  /** Read by other threads. */
  private final AtomicLong staleChanges = new AtomicLong();

  /**
   * Result of an update: the next snapshot and its changes.
   *
   * @param changes in order; changes of one object build on each other
   */
  record Step<T>(Snapshot<T> held, List<Change<T>> changes) {}

  /** Signals an update that violates the protocol. Nothing of the update was applied. */
  static final class BreachException extends Exception {
    BreachException(String message) {
      super(message);
    }
  }

  /** Snapshot of the gateway that has begun and is not complete. */
  private record Arriving<T>(
      Map<NamespacedName, StoredObject<T>> objects,
      Map<NamespacedName, String> unread,
      String historyId,
      boolean isOtherHistory) {
    int size() {
      return objects.size() + unread.size();
    }
  }

  UpdateApplier(Snapshot<T> empty, EventDecoder<T> decoder) {
    this.held = empty;
    this.decoder = decoder;
  }

  Snapshot<T> held() {
    return held;
  }

  /** Returns the number of changes dropped because the store had a newer state of the object. */
  long staleChanges() {
    return staleChanges.get();
  }

  // ---- snapshots

  void begin(WatchUpdate.SnapshotBegun begun) {
    expectsOtherHistory |=
        begun.reason() == SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST
            || begun.reason() == SnapshotReason.SNAPSHOT_REASON_TYPE_CHANGED;
    boolean isOther = expectsOtherHistory || !begun.historyId().equals(historyId);
    arriving = new Arriving<>(new HashMap<>(), new HashMap<>(), begun.historyId(), isOther);
  }

  /** Discards the collected objects of an incomplete snapshot. */
  void discard() {
    arriving = null;
  }

  /**
   * Records that the timeline of the current snapshot is lost, so that the next snapshot need not
   * be newer.
   */
  void expectOtherHistory() {
    expectsOtherHistory = true;
  }

  /** Records that the next stream starts without a token and so with a snapshot. */
  void expectSnapshot() {
    arriving = null;
    isSnapshotDue = true;
  }

  void collect(List<WatchEvent> objects) throws BreachException {
    Arriving<T> into = arriving;
    if (into == null) {
      return;
    }
    for (WatchEvent event : objects) {
      requireVersion(event.getResourceVersion());
      NamespacedName key = key(event);
      @Nullable StoredObject<T> before = held.find(key);
      boolean isHeld = before != null && !into.isOtherHistory && hasSameState(event, before);
      @Nullable StoredObject<T> object = isHeld ? before : decoder.decodeFull(key, event, before);
      if (object != null) {
        into.objects.put(key, object);
      } else {
        into.unread.put(key, event.getKey().getUid());
      }
    }
  }

  /**
   * @param announced number of objects that the gateway reported
   */
  Step<T> complete(String version, long announced) throws BreachException {
    Arriving<T> from = arriving;
    if (from == null) {
      throw new BreachException("received SYNCED without SNAPSHOT_STARTED");
    }
    arriving = null;
    requireVersion(version);
    if (announced != from.size()) {
      throw new BreachException(
          "the gateway announced " + announced + " objects in a snapshot but sent " + from.size());
    }
    boolean isOther = from.isOtherHistory;
    if (!isOther && isOlder(version)) {
      if (++outdatedSnapshots <= MAX_OUTDATED_SNAPSHOTS) {
        throw new BreachException(
            "a snapshot is of version " + version + ", older than " + held.resourceVersion());
      }
      isOther = true;
    }
    Step<T> step = replace(from, isOther, version);
    historyId = from.historyId;
    isSnapshotDue = false;
    expectsOtherHistory = false;
    outdatedSnapshots = 0;
    return step;
  }

  /** Replaces the current objects. The new snapshot is authoritative because it is not older. */
  private Step<T> replace(Arriving<T> from, boolean isOther, String version) {
    Snapshot<T> before = held;
    List<Change<T>> changes = new ArrayList<>();
    boolean isCommitted = false;
    try {
      before.forEach(
          object -> {
            // An undecodable object keeps its previous state, unless its versions are of a lost
            // timeline.
            boolean isUnread = !isOther && object.uid().equals(from.unread.get(object.key()));
            if (!from.objects.containsKey(object.key()) && !isUnread) {
              remove(object, object, DeletionReason.INFERRED, changes);
            }
          });
      for (StoredObject<T> object : from.objects.values()) {
        put(object, changes);
      }
      held = held.at(version);
      isCommitted = true;
      return new Step<>(held, changes);
    } finally {
      if (!isCommitted) {
        held = before;
      }
    }
  }

  // ---- changes

  Step<T> apply(List<WatchEvent> events, String version)
      throws JsonPatch.UnfitException, BreachException {
    Snapshot<T> before = held;
    List<Change<T>> changes = new ArrayList<>();
    boolean isCommitted = false;
    try {
      for (WatchEvent event : events) {
        apply(event, changes);
      }
      Step<T> step = advance(version, changes);
      isCommitted = true;
      return step;
    } finally {
      if (!isCommitted) {
        held = before; // handlers receive all changes of an update or none
      }
    }
  }

  /** Advances the version without a change. */
  Step<T> advance(String version) throws BreachException {
    return advance(version, List.of());
  }

  private Step<T> advance(String version, List<Change<T>> changes) throws BreachException {
    requireVersion(version);
    if (isSnapshotDue) {
      throw new BreachException("received version " + version + " before the required snapshot");
    }
    if (isOlder(version)) {
      throw new BreachException(
          "version " + version + " came after " + held.resourceVersion() + " of the same timeline");
    }
    held = held.at(version);
    return new Step<>(held, changes);
  }

  private boolean isOlder(String version) {
    return !held.resourceVersion().isEmpty()
        && ResourceVersions.compare(version, held.resourceVersion()) < 0;
  }

  /** Requires a valid version, so that all versions in the store are comparable. */
  private static void requireVersion(String version) throws BreachException {
    if (!ResourceVersions.isValid(version)) {
      throw new BreachException("invalid resourceVersion \"" + version + "\"");
    }
  }

  private void apply(WatchEvent event, List<Change<T>> changes)
      throws JsonPatch.UnfitException, BreachException {
    NamespacedName key = key(event);
    @Nullable StoredObject<T> before = held.find(key);
    switch (event.getType()) {
      case EVENT_TYPE_ADDED, EVENT_TYPE_MODIFIED -> {
        requireVersion(event.getResourceVersion());
        if (before != null && isStale(event, before)) {
          staleChanges.incrementAndGet();
          return;
        }
        @Nullable StoredObject<T> after = decoder.decodeState(key, event, before);
        if (after != null) {
          put(after, changes);
        }
      }
      case EVENT_TYPE_DELETED -> {
        requireVersion(event.getResourceVersion());
        if (before == null || !before.isOf(event.getKey().getUid()) || isOlder(event, before)) {
          staleChanges.incrementAndGet();
          return;
        }
        remove(before, decoder.decodeLast(key, event, before), removal(event), changes);
      }
      default -> throw new BreachException("an event has the unknown type " + event.getTypeValue());
    }
  }

  /**
   * Returns whether the store already has this or a newer state. Different replicas may send a
   * change twice, or an older change after a newer one.
   */
  private static boolean isStale(WatchEvent event, StoredObject<?> before) {
    return before.isOf(event.getKey().getUid())
        && (isOlder(event, before) || hasSameState(event, before));
  }

  /**
   * Returns whether the event has the current state. The same version is not enough: the apiserver
   * may serve an object differently that no client wrote, after a new schema or an upgrade.
   */
  private static boolean hasSameState(WatchEvent event, StoredObject<?> before) {
    return before.isOf(event.getKey().getUid())
        && before.resourceVersion().equals(event.getResourceVersion())
        && !event.hasPatch()
        && (event.hasOmitted() || before.hasJson(event.getObject()));
  }

  private static boolean isOlder(WatchEvent event, StoredObject<?> before) {
    return ResourceVersions.compare(event.getResourceVersion(), before.resourceVersion()) < 0;
  }

  private static DeletionReason removal(WatchEvent event) {
    return switch (event.getRemovalReason()) {
      case REMOVAL_REASON_NO_LONGER_MATCHES -> DeletionReason.NO_LONGER_MATCHES;
      case REMOVAL_REASON_INFERRED -> DeletionReason.INFERRED;
      default -> DeletionReason.DELETED;
    };
  }

  private void put(StoredObject<T> object, List<Change<T>> changes) {
    @Nullable StoredObject<T> before = held.find(object.key());
    if (before == object) {
      return;
    }
    if (before != null && !before.isOf(object.uid())) {
      remove(before, before, DeletionReason.INFERRED, changes);
      before = null;
    }
    held = held.with(object);
    changes.add(before == null ? Change.added(object) : Change.updated(before, object));
  }

  private void remove(
      StoredObject<T> object,
      StoredObject<T> last,
      DeletionReason removal,
      List<Change<T>> changes) {
    held = held.without(object.key());
    changes.add(new Change<>(object, removal, last, null));
  }

  private static NamespacedName key(WatchEvent event) {
    return new NamespacedName(event.getKey().getNamespace(), event.getKey().getName());
  }
}
