package io.watchgate.check.run;

import io.watchgate.check.CheckReport;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What came out.
 *
 * @param refusedWrites that were not made, since others were faster or the apiserver was away
 * @param streams that were opened
 * @param resumed of them, from where another one was
 * @param snapshots that were complete
 * @param netEffects announced
 * @param silent streams that were left since nothing came for three bookmark intervals
 * @param ends how often the other side ended a stream, by how
 * @param forced streams that had a token and lag policy RESYNC, and got a snapshot all the same,
 *     each in a sentence
 * @param stuck subscribers that never came to the last write, each in a paragraph with what its
 *     streams heard
 * @param refused why subscribers were refused for good, a line for each reason
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

  /** Whether nothing was broken, and everybody came to the end. */
  public boolean holds() {
    return report.holds() && stuck.isEmpty() && refused.isEmpty();
  }

  /** For a person. */
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
