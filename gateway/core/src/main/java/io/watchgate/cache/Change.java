package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import org.jspecify.annotations.Nullable;

/**
 * Transition of one key from one state to the next; at least one of the two objects exists. {@code
 * old} without {@code now} is a delete.
 *
 * @param source whether the apiserver sent the change
 */
public record Change(@Nullable KubeObject old, @Nullable KubeObject now, Source source) {

  /** Origin of a change. */
  public enum Source {
    SENT,
    /**
     * A delete that the apiserver did not send: the key now has another object, or an unreadable
     * one.
     */
    INFERRED
  }

  public Change(@Nullable KubeObject old, @Nullable KubeObject now) {
    this(old, now, Source.SENT);
  }

  static Change inferredDelete(KubeObject old) {
    return new Change(old, null, Source.INFERRED);
  }

  public Change {
    if (old == null && now == null) {
      throw new IllegalArgumentException("a change of nothing into nothing");
    }
  }

  /**
   * Returns the bytes that history keeps reachable for the change: the old object and a path of the
   * map.
   */
  long supersededBytes() {
    return RetainedRevisions.CHANGE_BYTES + (old == null ? 0 : old.retainedBytes());
  }

  /**
   * Returns whether no single history leads from the old object to the new object: the version went
   * back, or another object has the key and is no newer. Then the cluster was restored.
   */
  boolean contradicts() {
    if (old == null || now == null) {
      return false;
    }
    ResourceVersion before = ResourceVersion.parse(old.resourceVersion());
    ResourceVersion after = ResourceVersion.parse(now.resourceVersion());
    return before != null
        && after != null
        && !after.isAfter(before)
        && !(before.equals(after) && old.hasSameUidAs(now));
  }

  /**
   * Returns whether the new object has {@code version} or an earlier one and is not the old object.
   */
  boolean isUnknownAt(ResourceVersion version) {
    if (now == null || (old != null && old.hasSameStateAs(now))) {
      return false;
    }
    ResourceVersion after = ResourceVersion.parse(now.resourceVersion());
    return after != null && !after.isAfter(version);
  }
}
