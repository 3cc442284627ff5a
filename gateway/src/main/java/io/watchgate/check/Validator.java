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
  private static final List<Check> CHECKS =
      List.of(
          new Framed(),
          new Ordered(),
          new Unique(),
          new Complete(),
          new Filtered(),
          new Content(),
          new ExactSnapshot(),
          new Bookmarkable(),
          new Resumable(),
          new NoTimeTravel(),
          new Fresh(),
          new Conflation());

  private Validator() {}

  /**
   * Judges all promises in all sessions.
   *
   * @param truth of the type and history that the sessions are of, up to their last positions
   */
  public static Report judge(Truth truth, List<Session> sessions) {
    Map<Query, Selected> selections = new HashMap<>();
    List<Findings> all = new ArrayList<>();
    for (Session session : sessions) {
      Selected selected =
          selections.computeIfAbsent(session.query(), query -> new Selected(truth, query));
      Examined examined = new Examined(session, Passages.of(session), selected);
      for (Check check : CHECKS) {
        Findings findings = new Findings(check.promise(), session);
        check.judge(examined, findings);
        all.add(findings);
      }
    }
    return Report.of(all);
  }
}
