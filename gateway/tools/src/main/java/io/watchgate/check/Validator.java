package io.watchgate.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judge of recorded sessions by the recorded truth. Depends on these records only: not on the
 * gateway, nor on the connection to it. Stateless.
 */
public final class Validator {
  private Validator() {}

  /**
   * Checks all promises in all sessions.
   *
   * @param truth record for the type and history of the sessions, up to their last positions
   */
  public static CheckReport judge(Truth truth, List<Session> sessions) {
    Map<SelectionSpec, FilteredTruth> selections = new HashMap<>();
    List<Findings> all = new ArrayList<>();
    for (Session session : sessions) {
      FilteredTruth selected =
          selections.computeIfAbsent(
              session.request().selection(), query -> new FilteredTruth(truth, query));
      AnalyzedSession examined = new AnalyzedSession(session, SegmentReader.of(session), selected);
      for (Promise promise : Promise.values()) {
        Findings findings = new Findings(promise, session);
        judge(promise, examined, findings);
        all.add(findings);
      }
    }
    return CheckReport.of(all);
  }

  /** Checks a promise in a session, and adds the expectations and violations to the findings. */
  private static void judge(Promise promise, AnalyzedSession examined, Findings findings) {
    switch (promise) {
      case FRAMED -> FramingCheck.judge(examined, findings);
      case ORDERED -> OrderCheck.judge(examined, findings);
      case UNIQUE -> UniquenessCheck.judge(examined, findings);
      case COMPLETE -> CompletenessCheck.judge(examined, findings);
      case FILTERED -> FilterCheck.judge(examined, findings);
      case CONTENT -> ContentCheck.judge(examined, findings);
      case SNAPSHOT -> SnapshotCheck.judge(examined, findings);
      case BOOKMARKABLE -> BookmarkCheck.judge(examined, findings);
      case RESUMABLE -> ResumeCheck.judge(examined, findings);
      case NO_TIME_TRAVEL -> NoTimeTravelCheck.judge(examined, findings);
      case FRESH -> FreshnessCheck.judge(examined, findings);
      case CONFLATION -> ConflationCheck.judge(examined, findings);
    }
  }
}
