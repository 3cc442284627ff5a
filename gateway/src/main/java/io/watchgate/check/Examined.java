package io.watchgate.check;

import java.util.List;

/** A session with all that is needed to judge it. */
record Examined(Session session, List<Passage> passages, Selected selected) {
  /**
   * Whether changes come one after the other; else the stream may at any time be sent what came of
   * several.
   */
  boolean isSentEachChange() {
    return session.policy() != Session.Policy.CONFLATE;
  }

  /** Whether its events stand for what came of several changes. */
  boolean replaces(Passage passage) {
    return switch (passage) {
      case Passage.NetEffect _ -> true;
      case Passage.Changes _, Passage.Cut _ -> !isSentEachChange();
      case Passage.Snapshot _ -> false;
    };
  }
}
