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
      FilteredTruth filtered =
          selections.computeIfAbsent(
              session.request().selection(), query -> new FilteredTruth(truth, query));
      AnalyzedSession analyzed = new AnalyzedSession(session, SegmentReader.of(session), filtered);
      for (Promise promise : Promise.values()) {
        Findings findings = new Findings(promise, session);
        judge(promise, analyzed, findings);
        all.add(findings);
      }
    }
    return CheckReport.of(all);
  }

  /** Checks a promise in a session, and adds the expectations and violations to the findings. */
  private static void judge(Promise promise, AnalyzedSession analyzed, Findings findings) {
    switch (promise) {
      case FRAMED -> FramingCheck.judge(analyzed, findings);
      case ORDERED -> OrderCheck.judge(analyzed, findings);
      case UNIQUE -> UniquenessCheck.judge(analyzed, findings);
      case COMPLETE -> CompletenessCheck.judge(analyzed, findings);
      case FILTERED -> FilterCheck.judge(analyzed, findings);
      case CONTENT -> ContentCheck.judge(analyzed, findings);
      case SNAPSHOT -> SnapshotCheck.judge(analyzed, findings);
      case BOOKMARKABLE -> BookmarkCheck.judge(analyzed, findings);
      case RESUMABLE -> ResumeCheck.judge(analyzed, findings);
      case NO_TIME_TRAVEL -> NoTimeTravelCheck.judge(analyzed, findings);
      case FRESH -> FreshnessCheck.judge(analyzed, findings);
      case CONFLATION -> ConflationCheck.judge(analyzed, findings);
    }
  }
}
