package io.watchgate.check;

import java.util.List;

/** A session with all that is needed to judge it. */
record AnalyzedSession(Session session, List<Segment> passages, FilteredTruth selected) {
  /**
   * Whether changes come one after the other; else the stream may at any time be sent what came of
   * several.
   */
  boolean isSentEachChange() {
    return session.policy() != Session.Policy.CONFLATE;
  }

  /** Whether its events stand for what came of several changes. */
  boolean replaces(Segment passage) {
    return switch (passage) {
      case Segment.NetEffect _ -> true;
      case Segment.Changes _, Segment.Cut _ -> !isSentEachChange();
      case Segment.Snapshot _ -> false;
    };
  }
}
