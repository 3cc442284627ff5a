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
  private static final List<PromiseCheck> CHECKS =
      List.of(
          new FramingCheck(),
          new OrderCheck(),
          new UniquenessCheck(),
          new CompletenessCheck(),
          new FilterCheck(),
          new ContentCheck(),
          new SnapshotCheck(),
          new BookmarkCheck(),
          new ResumeCheck(),
          new NoTimeTravelCheck(),
          new FreshnessCheck(),
          new ConflationCheck());

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
      for (PromiseCheck check : CHECKS) {
        Findings findings = new Findings(check.promise(), session);
        check.judge(examined, findings);
        all.add(findings);
      }
    }
    return CheckReport.of(all);
  }
}
