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
 * Makes of what comes from a watch the next snapshot, and says what changed. Used by one owner, not
 * thread-safe.
 */
final class UpdateApplier<T> {
  /**
   * So many snapshots that are older than what is held are taken for those of a replica that is
   * behind. The next one is believed: a cluster may have been restored, and nobody said so.
   */
  static final int MOST_OUTDATED = 8;

  private final EventDecoder<T> reading;
  private Snapshot<T> held;
  private @Nullable Arriving<T> arriving;

  /** Of what is held. */
  private String historyId = "";

  /**
   * It was said that the history of what is held is lost, and what follows it is not complete yet:
   * a restored cluster has the same history id, and the next stream's snapshot the reason of one
   * that was asked for.
   */
  private boolean isOtherDue;

  /** Whether only a snapshot can follow: nothing else says what there is. */
  private boolean isSnapshotDue = true;

  /** Complete snapshots in a row that were older than what is held. */
  private int outdated;

  /** Read by others. */
  private final AtomicLong stale = new AtomicLong();

  /**
   * A step: what is held from now on, and how it came to that.
   *
   * @param changes in order; of one object each leads to the next
   */
  record Step<T>(Snapshot<T> held, List<Change<T>> changes) {}

  /** What came cannot be: the contract does not allow it. Nothing of it was applied. */
  static final class BreachException extends Exception {
    private static final long serialVersionUID = 1;

    BreachException(String message) {
      super(message);
    }
  }

  /** A snapshot that has begun and is not complete. */
  private record Arriving<T>(
      Map<NamespacedName, StoredObject<T>> objects,
      Map<NamespacedName, String> unread,
      String historyId,
      boolean isOtherHistory) {
    int size() {
      return objects.size() + unread.size();
    }
  }

  UpdateApplier(Snapshot<T> empty, EventDecoder<T> reading) {
    this.held = empty;
    this.reading = reading;
  }

  Snapshot<T> held() {
    return held;
  }

  /** How many changes were older than what was held of their object, and dropped. */
  long stale() {
    return stale.get();
  }

  // ---- snapshots

  void begin(WatchUpdate.SnapshotBegun begun) {
    isOtherDue |=
        begun.reason() == SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST
            || begun.reason() == SnapshotReason.SNAPSHOT_REASON_TYPE_CHANGED;
    boolean isOther = isOtherDue || !begun.historyId().equals(historyId);
    arriving = new Arriving<>(new HashMap<>(), new HashMap<>(), begun.historyId(), isOther);
  }

  /** What was collected is worth nothing. */
  void discard() {
    arriving = null;
  }

  /** What is held is of a history that is lost: what comes next need not be newer. */
  void expectOtherHistory() {
    isOtherDue = true;
  }

  /** The next stream begins without a token, and so with a snapshot. */
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
      boolean isHeld =
          before != null
              && !into.isOtherHistory
              && before.isOf(event.getKey().getUid())
              && before.resourceVersion().equals(event.getResourceVersion());
      @Nullable StoredObject<T> object = isHeld ? before : reading.whole(key, event, before);
      if (object != null) {
        into.objects.put(key, object);
      } else {
        into.unread.put(key, event.getKey().getUid());
      }
    }
  }

  /**
   * @param announced how many objects the gateway says it has
   */
  Step<T> complete(String version, long announced) throws BreachException {
    Arriving<T> from = arriving;
    if (from == null) {
      throw new BreachException("a snapshot ended that had not begun");
    }
    arriving = null;
    requireVersion(version);
    if (announced != from.size()) {
      throw new BreachException(
          "a snapshot of " + announced + " objects came with " + from.size() + " of them");
    }
    boolean isOther = from.isOtherHistory;
    if (!isOther && isBack(version)) {
      if (++outdated <= MOST_OUTDATED) {
        throw new BreachException(
            "a snapshot is of version " + version + ", older than " + held.resourceVersion());
      }
      isOther = true;
    }
    Step<T> step = replace(from, isOther, version);
    historyId = from.historyId;
    isSnapshotDue = false;
    isOtherDue = false;
    outdated = 0;
    return step;
  }

  /** The snapshot is right about all that it has: it is not older than what is held. */
  private Step<T> replace(Arriving<T> from, boolean isOther, String version) {
    Snapshot<T> before = held;
    List<Change<T>> changes = new ArrayList<>();
    boolean isWhole = false;
    try {
      before.forEach(
          object -> {
            // One that cannot be read stays as it is, unless its versions are of a lost history.
            boolean isUnread = !isOther && object.uid().equals(from.unread.get(object.key()));
            if (!from.objects.containsKey(object.key()) && !isUnread) {
              remove(object, object, DeletionReason.INFERRED, changes);
            }
          });
      for (StoredObject<T> object : from.objects.values()) {
        put(object, changes);
      }
      held = held.at(version);
      isWhole = true;
      return new Step<>(held, changes);
    } finally {
      if (!isWhole) {
        held = before;
      }
    }
  }

  // ---- changes

  Step<T> apply(List<WatchEvent> events, String version)
      throws JsonPatch.UnfitException, BreachException {
    Snapshot<T> before = held;
    List<Change<T>> changes = new ArrayList<>();
    boolean isWhole = false;
    try {
      for (WatchEvent event : events) {
        apply(event, changes);
      }
      Step<T> step = reach(version, changes);
      isWhole = true;
      return step;
    } finally {
      if (!isWhole) {
        held = before; // handlers are told of all of it or of nothing
      }
    }
  }

  /** Nothing changed up to there. */
  Step<T> reach(String version) throws BreachException {
    return reach(version, List.of());
  }

  private Step<T> reach(String version, List<Change<T>> changes) throws BreachException {
    requireVersion(version);
    if (isSnapshotDue) {
      throw new BreachException("version " + version + " came where a snapshot was due");
    }
    if (isBack(version)) {
      throw new BreachException(
          "version " + version + " came after " + held.resourceVersion() + " of the same history");
    }
    held = held.at(version);
    return new Step<>(held, changes);
  }

  private boolean isBack(String version) {
    return !held.resourceVersion().isEmpty()
        && ResourceVersions.compare(version, held.resourceVersion()) < 0;
  }

  /** All that is held has one: so that none of it can be compared with nothing. */
  private static void requireVersion(String version) throws BreachException {
    if (!ResourceVersions.isOne(version)) {
      throw new BreachException("\"" + version + "\" came as a resourceVersion");
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
          stale.incrementAndGet();
          return;
        }
        @Nullable StoredObject<T> after = reading.state(key, event, before);
        if (after != null) {
          put(after, changes);
        }
      }
      case EVENT_TYPE_DELETED -> {
        requireVersion(event.getResourceVersion());
        if (before == null || !before.isOf(event.getKey().getUid()) || isOlder(event, before)) {
          stale.incrementAndGet();
          return;
        }
        remove(before, reading.last(key, event, before), removal(event), changes);
      }
      default -> {} // a later version of the contract may have more
    }
  }

  /** Across replicas the same change may come twice, and an older one after a newer. */
  private static boolean isStale(WatchEvent event, StoredObject<?> before) {
    return before.isOf(event.getKey().getUid())
        && ResourceVersions.compare(event.getResourceVersion(), before.resourceVersion()) <= 0;
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
