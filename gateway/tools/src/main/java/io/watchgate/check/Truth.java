package io.watchgate.check;

import java.util.Collection;
import java.util.List;

/**
 * Record of all actual changes to the objects of one type in one timeline, as reported by the
 * apiserver itself. It has a beginning, and no gap after it.
 *
 * @param begin version at which the record begins; nothing before it can be checked
 * @param base objects at that version
 * @param changes later changes in order; each has a version of its own
 */
public record Truth(
    CheckedVersion begin, Collection<RecordedState> base, List<RecordedChange> changes) {
  /**
   * Checks the order.
   *
   * @throws IllegalArgumentException if a version is not after the version before it, because such
   *     a record proves nothing
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

  /**
   * Returns the version of the last change that affects a selection; without one, the beginning.
   */
  public CheckedVersion end(SelectionSpec query) {
    return new FilteredTruth(this, query).end();
  }
}
