package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Test of the promises of watch.proto with all threads running. A seed does not determine a run
 * here: it determines the events, but not their timing.
 */
@Tag("slow")
final class SubscriptionThreadsTest {
  private static final int RUNS = Integer.getInteger("watchgate.threads.runs", 2);
  private static final int EVENTS = Integer.getInteger("watchgate.threads.events", 1_200);
  private static final long SEED = Long.getLong("watchgate.threads.seed", 1);

  /** Signals and reasons that must occur; it depends on the timing of a run which ones do. */
  private static final Set<String> REQUIRED =
      Set.of(
          "RESUMED",
          "SYNCED",
          "NET_EFFECT_STARTED",
          "BOOKMARK",
          "PATCHED",
          "CONFLATED",
          "GROUP_SENT",
          "NET_EFFECT_REASON_LAG",
          "NET_EFFECT_REASON_UPSTREAM_GAP");

  @Test
  void concurrentRuns_keepThePromisesOfTheProtocol() {
    Set<String> met = new TreeSet<>();
    int runs = 0;
    while (runs < RUNS || (runs < 10 * RUNS && !met.containsAll(REQUIRED))) {
      long seed = SEED + runs;
      runs++;
      try {
        met.addAll(new ThreadedRun(seed, EVENTS).run());
      } catch (Throwable t) {
        throw new AssertionError("seed " + seed, t);
      }
    }
    assertThat(met).containsAll(REQUIRED);
  }
}
