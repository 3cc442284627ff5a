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
 * @param forced streams that had a token and lag policy RESYNC, and still got a snapshot, one
 *     sentence each
 */
public record CheckResult(
    CheckPlan plan,
    CheckReport report,
    Writes writes,
    Streams streams,
    Messages messages,
    List<String> forced,
    Unfinished unfinished) {
  public CheckResult {
    forced = List.copyOf(forced);
  }

  /**
   * Writes to the apiserver.
   *
   * @param refused writes that failed, because another writer was faster or the apiserver did not
   *     respond
   */
  public record Writes(long answered, long refused) {}

  /**
   * Streams of all subscribers.
   *
   * @param resumed streams that began at the token of another stream
   * @param silent streams that were left because nothing was received for three bookmark intervals
   * @param ends number of streams that the server ended, by code and reason
   */
  public record Streams(long opened, long resumed, long silent, SortedMap<String, Long> ends) {
    public Streams {
      ends = Collections.unmodifiableSortedMap(new TreeMap<>(ends));
    }
  }

  /**
   * Content of the received messages.
   *
   * @param snapshots complete snapshots
   * @param netEffects announced net effects
   */
  public record Messages(long events, long snapshots, long netEffects, long bookmarks) {}

  /**
   * Subscribers that never reached the last write.
   *
   * @param stuck one paragraph each with the messages of their streams
   * @param refused reasons for which subscribers were permanently refused, one line each
   */
  public record Unfinished(List<String> stuck, List<String> refused) {
    public Unfinished {
      stuck = List.copyOf(stuck);
      refused = List.copyOf(refused);
    }

    boolean isEmpty() {
      return stuck.isEmpty() && refused.isEmpty();
    }
  }

  /** Returns whether nothing was broken and all subscribers reached the last write. */
  public boolean holds() {
    return report.holds() && unfinished.isEmpty();
  }

  /** Returns the result as text for a person. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%,d writes (%,d refused), %,d streams (%,d resumed), %,d events, %,d snapshots (%,d"
                + " forced), %,d net effects, %,d bookmarks; seed %d%n",
            writes.answered(),
            writes.refused(),
            streams.opened(),
            streams.resumed(),
            messages.events(),
            messages.snapshots(),
            forced.size(),
            messages.netEffects(),
            messages.bookmarks(),
            plan.seed()));
    if (streams.silent() > 0) {
      text.append(String.format(Locale.ROOT, "%,d streams were left: silence%n", streams.silent()));
    }
    streams
        .ends()
        .forEach(
            (how, times) ->
                text.append(
                    String.format(Locale.ROOT, "%,d streams were ended: %s%n", times, how)));
    text.append(report.text());
    forced.forEach(one -> text.append("snapshot forced: ").append(one).append('\n'));
    unfinished.stuck().forEach(one -> text.append("stuck: ").append(one).append('\n'));
    unfinished.refused().forEach(one -> text.append("refused: ").append(one).append('\n'));
    return text.toString();
  }
}
