package io.watchgate.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Judges what subscribers heard by what really happened. It knows records and nothing else: neither
 * the gateway nor how it was reached. Stateless.
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
   * Judges all promises in all sessions.
   *
   * @param truth of the type and history that the sessions are of, up to their last positions
   */
  public static CheckReport judge(Truth truth, List<Session> sessions) {
    Map<SelectionSpec, FilteredTruth> selections = new HashMap<>();
    List<Findings> all = new ArrayList<>();
    for (Session session : sessions) {
      FilteredTruth selected =
          selections.computeIfAbsent(session.query(), query -> new FilteredTruth(truth, query));
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
