package io.watchgate.cache;

import io.watchgate.json.ObjectView;
import org.jspecify.annotations.Nullable;

/**
 * What became of one key: at least one side is there. {@code old} without {@code now} is a delete.
 */
public record Change(@Nullable ObjectView old, @Nullable ObjectView now) {

  public Change {
    if (old == null && now == null) {
      throw new IllegalArgumentException("a change of nothing into nothing");
    }
  }

  /** What history has to keep alive for it: the object before, and a path of the map. */
  long supersededBytes() {
    return History.CHANGE_BYTES + (old == null ? 0 : old.retainedBytes());
  }

  /** Whether it leads back to an older version of the same object: the cluster was restored. */
  boolean wentBack() {
    if (old == null || now == null || !old.sameUidAs(now)) {
      return false;
    }
    ResourceVersion before = ResourceVersion.parse(old.resourceVersion());
    ResourceVersion after = ResourceVersion.parse(now.resourceVersion());
    return before != null && after != null && before.isAfter(after);
  }
}
