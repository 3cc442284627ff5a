package io.watchgate.cli;

import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.ObjectKey;
import io.watchgate.proto.v1.RemovalReason;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Uid and version of every printed object, to reduce a later snapshot to the differences. Takes
 * about 200 bytes per object and, during a snapshot, the objects that differ. Not thread-safe.
 */
final class PrintedObjects {
  private final Map<Name, Version> printed = new HashMap<>();

  /**
   * True once a complete snapshot is recorded: from then on, an object not recorded is a new one.
   */
  private boolean complete;

  private final PlaceholderBody placeholderBody;
  private @Nullable Replacement replacement;

  private record Name(String namespace, String name) {
    static Name of(WatchEvent event) {
      return new Name(event.getKey().getNamespace(), event.getKey().getName());
    }
  }

  private record Version(String uid, String resourceVersion) {
    static Version of(WatchEvent event) {
      return new Version(event.getKey().getUid(), event.getResourceVersion());
    }
  }

  /** State of a snapshot that is being compared with the printed objects. */
  private record Replacement(
      boolean versionsCompare,
      Set<Name> seen,
      List<WatchEvent> deleted,
      List<WatchEvent> addedOrModified) {}

  /**
   * Creates an empty set.
   *
   * @param placeholderBody makes the bodies of objects found missing
   */
  PrintedObjects(PlaceholderBody placeholderBody) {
    this.placeholderBody = placeholderBody;
  }

  int size() {
    return printed.size();
  }

  /** Returns whether no snapshot has been complete. Single objects and changes may be recorded. */
  boolean isFirstSnapshot() {
    return !complete;
  }

  /** Applies changes. */
  void apply(List<WatchEvent> events) {
    for (WatchEvent event : events) {
      placeholderBody.learn(event);
      if (event.getType() == EventType.EVENT_TYPE_DELETED) {
        printed.remove(Name.of(event));
      } else {
        printed.put(Name.of(event), Version.of(event));
      }
    }
  }

  /** Returns whether versions in a snapshot are of the history of those before. */
  static boolean versionsCompare(SnapshotReason reason) {
    return reason != SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST
        && reason != SnapshotReason.SNAPSHOT_REASON_TYPE_CHANGED;
  }

  /** Starts a snapshot. */
  void beginSnapshot(SnapshotReason reason) {
    replacement =
        !complete && printed.isEmpty()
            ? null
            : new Replacement(
                versionsCompare(reason), new HashSet<>(), new ArrayList<>(), new ArrayList<>());
  }

  /**
   * Adds objects of the snapshot.
   *
   * @return objects to print now as existing ones: those of a first snapshot that are not recorded;
   *     none of a later snapshot
   */
  List<WatchEvent> addSnapshotObjects(List<WatchEvent> objects) {
    Replacement now = replacement;
    if (now == null) {
      apply(objects);
      return objects;
    }
    List<WatchEvent> present = new ArrayList<>();
    for (WatchEvent object : objects) {
      Name name = Name.of(object);
      Version before = printed.get(name);
      now.seen.add(name);
      if (before == null) {
        (complete ? now.addedOrModified : present).add(object);
      } else if (!before.uid.equals(object.getKey().getUid())) {
        now.deleted.add(deleted(name, before));
        now.addedOrModified.add(object);
      } else if (!now.versionsCompare || !before.equals(Version.of(object))) {
        now.addedOrModified.add(object.toBuilder().setType(EventType.EVENT_TYPE_MODIFIED).build());
      }
    }
    apply(present);
    return present;
  }

  /**
   * Completes the snapshot, and returns its differences from the printed objects, deletes first.
   */
  List<WatchEvent> completeSnapshot() {
    complete = true;
    Replacement now = replacement;
    if (now == null) {
      return List.of();
    }
    replacement = null;
    printed.forEach(
        (name, version) -> {
          if (!now.seen.contains(name)) {
            now.deleted.add(deleted(name, version));
          }
        });
    List<WatchEvent> differences = new ArrayList<>(now.deleted);
    differences.addAll(now.addedOrModified);
    apply(differences);
    return differences;
  }

  /** Discards the objects collected of an interrupted snapshot. Printed objects stay recorded. */
  void discardSnapshot() {
    replacement = null;
  }

  private WatchEvent deleted(Name name, Version version) {
    ObjectKey key =
        ObjectKey.newBuilder()
            .setNamespace(name.namespace)
            .setName(name.name)
            .setUid(version.uid)
            .build();
    return WatchEvent.newBuilder()
        .setType(EventType.EVENT_TYPE_DELETED)
        .setKey(key)
        .setResourceVersion(version.resourceVersion)
        .setObject(placeholderBody.body(key, version.resourceVersion))
        .setRemovalReason(RemovalReason.REMOVAL_REASON_INFERRED)
        .build();
  }
}
