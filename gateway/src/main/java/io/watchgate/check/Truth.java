package io.watchgate.check;

import java.util.Collection;
import java.util.List;

/**
 * What really happened to all objects of one type in one history, from a moment on and without a
 * gap, as the apiserver says itself.
 *
 * @param begin where it begins; nothing before it can be judged
 * @param base what there was at that position
 * @param changes in their order, all of them after it; each has a version of its own
 */
public record Truth(
    CheckedVersion begin, Collection<RecordedState> base, List<RecordedChange> changes) {
  /**
   * Checks the order.
   *
   * @throws IllegalArgumentException if a version does not come after the one before it: such a
   *     record proves nothing
   */
  public Truth {
    base = List.copyOf(base);
    changes = List.copyOf(changes);
    CheckedVersion last = begin;
    for (RecordedChange change : changes) {
      if (!change.version().isAfter(last)) {
        throw new IllegalArgumentException(
            "the record of what happened is out of order: " + change + " after " + last);
      }
      last = change.version();
    }
  }
}
