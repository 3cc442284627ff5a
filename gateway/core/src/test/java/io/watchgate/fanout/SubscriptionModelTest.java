package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Model test of the promises of watch.proto, which are checked at every response: random clusters,
 * replicas that follow them with random delays, and clients that read and resume at random. It uses
 * one thread and a clock driven by the test, so a seed determines a run.
 */
final class SubscriptionModelTest {
  private static final int RUNS = Integer.getInteger("watchgate.model.runs", 600);

  @Test
  void randomRuns_keepThePromisesOfTheProtocol() {
    Set<String> met = new TreeSet<>();
    for (long seed = 0; seed < RUNS; seed++) {
      try {
        met.addAll(new ModelRun(seed).run());
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
    assertThat(met)
        .contains(
            "OPENED",
            "RESUMED",
            "SNAPSHOT_STARTED",
            "SYNCED",
            "NET_EFFECT_STARTED",
            "BOOKMARK",
            "OMITTED",
            "PATCHED",
            "CONFLATED",
            "GROUP_SENT",
            "GROUP_WAIT",
            "GROUP_REFUSED",
            "SNAPSHOT_REASON_REQUESTED",
            "SNAPSHOT_REASON_POSITION_EXPIRED",
            "SNAPSHOT_REASON_HISTORY_LOST",
            "NET_EFFECT_REASON_LAG",
            "NET_EFFECT_REASON_UPSTREAM_GAP",
            "ERROR_REASON_BEHIND",
            "ERROR_REASON_LAGGED",
            "ERROR_REASON_CHANGES_LOST",
            "ERROR_REASON_POSITION_EXPIRED",
            "ERROR_REASON_HISTORY_LOST");
  }
}
