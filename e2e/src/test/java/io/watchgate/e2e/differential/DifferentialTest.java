package io.watchgate.e2e.differential;

import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.e2e.kube.Widgets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Randomized differential test. {@code -Dwatchgate.test.args=-Dseed=N} repeats the writes of a run.
 */
@WithApiserver
@Execution(ExecutionMode.CONCURRENT) // of its tests
class DifferentialTest {
  private static final int LONG = 10;

  private final long seed = Long.getLong("seed", new Random().nextLong());

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void gateway_sendsApiserverEvents(
      @OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver apiserver)
      throws Exception {
    run(apiserver, 1);
  }

  @Test
  @Tag("thorough")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void gateway_sendsApiserverEvents_manyRounds(
      @OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver apiserver)
      throws Exception {
    run(apiserver, LONG);
  }

  private void run(Apiserver apiserver, int rounds) throws Exception {
    System.out.println("Differential test with seed " + seed);
    Tally tally = new Tally(rounds);
    try (DifferentialRun run = new DifferentialRun(apiserver, seed, tally)) {
      run.begin();
      for (int round = 1; round <= rounds; round++) {
        run.steadyWrites(round);
        gaps(apiserver, run, round);
      }
      run.touchAll();
    } finally {
      System.out.printf("Differential test with seed %d:%n%s%n", seed, tally);
    }
    tally.assertComplete();
  }

  /** Loses the upstream history in three ways; each makes the gateway list again. */
  private static void gaps(Apiserver apiserver, DifferentialRun run, int round) throws Exception {
    // An open watch of etcd without watch cache survives a compaction, so only the disconnected
    // gateway finds its version expired.
    run.gap(List.of(Resource.CONFIGMAPS), List.of(), apiserver::compact);
    List<Resource> widgets = List.of(Widgets.V1, Widgets.V2);
    run.gap(widgets, widgets, () -> Widgets.renew(apiserver.cluster()));
    List<Resource> all = List.of(Resource.CONFIGMAPS, Resource.PODS, Widgets.V1, Widgets.V2);
    run.gap(
        all,
        all,
        () -> {
          // The cluster's newest version would not expire, so it must belong to a type that is not
          // watched.
          apiserver.cluster().createNamespace("round-" + round);
          apiserver.compact();
          apiserver.kill();
          apiserver.start();
        });
  }
}
