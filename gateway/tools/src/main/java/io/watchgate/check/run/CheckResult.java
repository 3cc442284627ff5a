package io.watchgate.check.run;

import io.watchgate.check.CheckReport;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Result of a run.
 *
 * @param refusedWrites writes that failed, because another writer was faster or the apiserver did
 *     not respond
 * @param streams number of opened streams
 * @param resumed streams that began at the token of another stream
 * @param snapshots complete snapshots
 * @param netEffects announced net effects
 * @param silent streams that were left because nothing was received for three bookmark intervals
 * @param ends number of streams that the server ended, by code and reason
 * @param forced streams that had a token and lag policy RESYNC, and still got a snapshot, one
 *     sentence each
 * @param stuck subscribers that never reached the last write, one paragraph each with the messages
 *     of their streams
 * @param refused reasons for which subscribers were permanently refused, one line each
 */
public record CheckResult(
    CheckPlan plan,
    CheckReport report,
    long writes,
    long refusedWrites,
    long streams,
    long resumed,
    long events,
    long snapshots,
    long netEffects,
    long bookmarks,
    long silent,
    SortedMap<String, Long> ends,
    List<String> forced,
    List<String> stuck,
    List<String> refused) {
  public CheckResult {
    ends = Collections.unmodifiableSortedMap(new TreeMap<>(ends));
    forced = List.copyOf(forced);
    stuck = List.copyOf(stuck);
    refused = List.copyOf(refused);
  }

  /** Returns whether nothing was broken and all subscribers reached the last write. */
  public boolean holds() {
    return report.holds() && stuck.isEmpty() && refused.isEmpty();
  }

  /** Returns the result as text for a person. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%,d writes (%,d refused), %,d streams (%,d resumed), %,d events, %,d snapshots (%,d"
                + " forced), %,d net effects, %,d bookmarks; seed %d%n",
            writes,
            refusedWrites,
            streams,
            resumed,
            events,
            snapshots,
            forced.size(),
            netEffects,
            bookmarks,
            plan.seed()));
    if (silent > 0) {
      text.append(String.format(Locale.ROOT, "%,d streams were left: silence%n", silent));
    }
    ends.forEach(
        (how, times) ->
            text.append(String.format(Locale.ROOT, "%,d streams were ended: %s%n", times, how)));
    text.append(report.text());
    forced.forEach(one -> text.append("snapshot forced: ").append(one).append('\n'));
    stuck.forEach(one -> text.append("stuck: ").append(one).append('\n'));
    refused.forEach(one -> text.append("refused: ").append(one).append('\n'));
    return text.toString();
  }
}
