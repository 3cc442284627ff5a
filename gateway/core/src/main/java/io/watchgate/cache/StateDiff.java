package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import org.jspecify.annotations.Nullable;

/**
 * Difference of two states in a range of keys, in the order of the keys. Shared subtrees are
 * skipped, so that the cost is proportional to the difference. The diff keeps its position: a
 * caller may pause after any change. Not thread-safe.
 */
public final class StateDiff {
  private final StateCursor before;
  private final StateCursor after;
  private long comparisons;

  public StateDiff(StateMap before, StateMap after, KeyRange range) {
    this.before = before.cursor(range);
    this.after = after.cursor(range);
  }

  /**
   * Returns the next key with different objects, or null. {@link Change#old} and {@link Change#now}
   * may differ in uid.
   */
  public @Nullable Change next() {
    while (true) {
      KubeObject old = before.peek();
      KubeObject now = after.peek();
      comparisons++;
      if (old == now) { // checked before the keys: two trees of the same objects cost little more
        if (old == null) {
          return null;
        }
        if (!StateCursor.skipShared(before, after)) {
          before.advance();
          after.advance();
        }
        continue;
      }
      int order = old == null ? 1 : now == null ? -1 : StateMap.compare(old.key(), now.key());
      if (order <= 0) {
        before.advance();
      }
      if (order >= 0) {
        after.advance();
      }
      return new Change(order <= 0 ? old : null, order >= 0 ? now : null);
    }
  }

  /** Returns the number of compared pairs of objects: the cost so far. */
  long comparisons() {
    return comparisons;
  }
}
