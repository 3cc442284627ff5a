package io.watchgate.check;

import java.util.List;

/** A session with the derived data that checks need: its segments and the filtered truth. */
record AnalyzedSession(Session session, List<Segment> segments, FilteredTruth filteredTruth) {
  /**
   * Returns whether each change is sent separately. Otherwise the net effect of several changes may
   * be sent at any time.
   */
  boolean hasEachChange() {
    return session.request().policy() != Session.Policy.CONFLATE;
  }

  /**
   * Returns whether the record of the truth has what is needed to judge an event. It may lack that:
   * a gateway that is behind may begin a stream before the version at which the record begins.
   */
  boolean canJudge(RecordedEvent event, Segment segment) {
    return switch (segment) {
      case Segment.Snapshot snapshot -> filteredTruth.knows(snapshot.to());
      case Segment.NetEffect _, Segment.Changes _, Segment.Unfinished _ ->
          filteredTruth.knowsChange(event.version())
              && (!canReplaceChanges(segment) || filteredTruth.knows(segment.from()));
    };
  }

  /** Returns whether the events of a segment may replace several changes. */
  boolean canReplaceChanges(Segment segment) {
    return switch (segment) {
      case Segment.NetEffect _ -> true;
      case Segment.Changes _, Segment.Unfinished _ -> !hasEachChange();
      case Segment.Snapshot _ -> false;
    };
  }
}
