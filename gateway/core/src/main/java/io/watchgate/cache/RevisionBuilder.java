package io.watchgate.cache;

import io.watchgate.json.KubeObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builder of the revision after a revision; publishes nothing. Sums and digest continue from the
 * revision before.
 *
 * @param before head, null before the first list
 * @param proven last proof for the head, null if there was none
 */
record RevisionBuilder(
    @Nullable Revision before, TimeSource.@Nullable Reading proven, TimeSource time) {
  /**
   * Overhead of a revision without changes: a node of the chain. It is counted, so that bookmarks
   * alone cannot fill the heap.
   */
  private static final int PROGRESS_BYTES = 128;

  /**
   * Returns the revision after a list. Only the net effect of the changes since the last revision
   * is known. The history is lost if the version of the type or of one object went back, or if one
   * object cannot have developed from the cached state ({@link Change#contradicts}). If the cached
   * state is in doubt, one more case counts as a lost timeline: an object whose version is at or
   * below the cached version differs from the cache. In the same timeline the watch would have sent
   * that change.
   *
   * @return a revision of kind RELIST or HISTORY_LOST
   */
  Revision list(ResourceVersion version, StateMap state, HistoryConfidence held) {
    Revision.Totals totals = before == null ? Revision.Totals.NONE : before.totals();
    StateDigest digest = before == null ? StateDigest.EMPTY : before.digest();
    long superseded = totals.supersededBytes();
    long events = totals.events();
    boolean wentBack =
        before != null && (held == HistoryConfidence.LOST || before.version().isAfter(version));
    StateDiff diff =
        new StateDiff(before == null ? StateMap.EMPTY : before.state(), state, KeyRange.ALL);
    for (Change change = diff.next(); change != null; change = diff.next()) {
      digest = digest.after(change);
      superseded += change.supersededBytes();
      events++;
      wentBack |=
          change.contradicts()
              || (before != null
                  && held != HistoryConfidence.TRUSTED
                  && change.isUnknownAt(before.version()));
    }
    return revision(
        version,
        wentBack ? Revision.Kind.HISTORY_LOST : Revision.Kind.RELIST,
        List.of(),
        state,
        digest,
        new Revision.Totals(
            events, superseded, totals.lists() + 1, totals.lostHistories() + (wentBack ? 1 : 0)));
  }

  /** Returns the revision after one transition of the apiserver's own order. */
  Revision changes(ResourceVersion version, List<Change> changes) {
    Revision from = listed();
    StateMap state = from.state();
    StateDigest digest = from.digest();
    long superseded = 0;
    for (Change change : changes) {
      KubeObject now = change.now();
      KubeObject old = change.old();
      if (now != null) {
        state = state.with(now);
      } else if (old != null) {
        state = state.without(old.key());
      }
      digest = digest.after(change);
      superseded += change.supersededBytes();
    }
    return revision(
        version,
        Revision.Kind.CHANGES,
        changes,
        state,
        digest,
        from.totals().plus(changes.size(), superseded));
  }

  /** Returns the revision after no change up to {@code version}; null if that is known already. */
  @Nullable Revision progress(ResourceVersion version) {
    Revision from = listed();
    return version.isAfter(from.version())
        ? revision(
            version,
            Revision.Kind.PROGRESS,
            List.of(),
            from.state(),
            from.digest(),
            from.totals().plus(0, PROGRESS_BYTES))
        : null;
  }

  private Revision listed() {
    if (before == null) {
      throw new IllegalStateException("nothing was listed yet");
    }
    return before;
  }

  private Revision revision(
      ResourceVersion version,
      Revision.Kind kind,
      List<Change> changes,
      StateMap state,
      StateDigest digest,
      Revision.Totals totals) {
    return new Revision(
        before == null ? 0 : before.number() + 1,
        version,
        kind,
        changes,
        state,
        digest,
        time.reading(),
        proven,
        totals);
  }
}
