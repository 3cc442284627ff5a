package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import org.jspecify.annotations.Nullable;

/**
 * Step of one key from one state to the next: at least one side is there. {@code old} without
 * {@code now} is a delete.
 *
 * @param source whether the apiserver sent it
 */
public record Change(@Nullable KubeObject old, @Nullable KubeObject now, Source source) {

  /** How the gateway knows of a change. */
  public enum Source {
    SENT,
    /** A delete that nothing said: the object is another one now, or cannot be read any more. */
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

  /** What history has to keep alive for it: the object before, and a path of the map. */
  long supersededBytes() {
    return History.CHANGE_BYTES + (old == null ? 0 : old.retainedBytes());
  }

  /**
   * Whether no single history leads from the old object to the new one: the version went back, or
   * another object has the key and is no newer. The cluster was restored.
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
        && !(before.equals(after) && old.sameUidAs(now));
  }

  /** Whether the new object is of {@code version} or before, and the old one is not that object. */
  boolean isUnknownAt(ResourceVersion version) {
    if (now == null || (old != null && old.sameStateAs(now))) {
      return false;
    }
    ResourceVersion after = ResourceVersion.parse(now.resourceVersion());
    return after != null && !after.isAfter(version);
  }
}
