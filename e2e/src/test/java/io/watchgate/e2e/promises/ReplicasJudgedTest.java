package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.check.Promise;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.check.run.CheckResult;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.program.Program;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Judged test of several replicas: subscribers open each stream at another replica than the last
 * and also return to older tokens. {@code -Dwatchgate.test.args=-Dseed=N} repeats writes, requests,
 * and the order of the faults.
 */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ReplicasJudgedTest {
  private static final List<ReplicaFault> ALL = List.of(ReplicaFault.values());
  private static final List<String> TYPES =
      List.of("configmaps", "pods", "leases.coordination.k8s.io");

  /**
   * Limit of backfills. Subscribers return to tokens of any age, so an earlier backfill is not
   * always old enough. Each backfill reaches further back than all before, and there is at most one
   * per second: among the tokens of 200 seconds in random order, about six are older than all
   * before.
   */
  private static final double MOST_BACKFILLS = 12;

  /** Twice the silence timeout of subscribers: on a busy machine each stream is rarely checked. */
  private static final Duration SHORT_FREEZE = Duration.ofSeconds(6);

  private static final Duration LONG_FREEZE = Duration.ofMinutes(1);

  /** Limit for a slow machine: writes end as soon as each fault has occurred. */
  private static final Duration AT_MOST = Duration.ofMinutes(5);

  /** Time for which an apiserver's watch cache keeps each event, if it has room for it. */
  private static final Duration REMEMBERED = Duration.ofSeconds(75);

  /** The interrupted watch and the short watch that replaces it. */
  private static final double ENDS_OF_A_LOOK = 2;

  private static final Duration LAGGING = Duration.ofSeconds(6);

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private Apiserver apiserver;

  @BeforeAll
  void start(@OwnApiserver(flags = OwnApiserver.UNCOMPACTED) Apiserver own) {
    apiserver = own;
  }

  @Test
  void replicaFaults_breakNoPromise() throws Exception {
    assertThat(replicaFaults(ProcessSetup.ROOMY)).as("responses by the lane").isPositive();
  }

  @Test
  @Tag("thorough")
  void replicaFaultsWithoutLane_breakNoPromise() throws Exception {
    assertThat(replicaFaults(ProcessSetup.ROOMY.withoutLane()))
        .as("responses by the lane")
        .isZero();
  }

  /**
   * Applies each fault to one replica, the next fault to the next replica. Returns the number of
   * responses by the lane.
   */
  private double replicaFaults(ProcessSetup setup) throws Exception {
    try (FaultInjector injector = replicas(3, 3, 1, setup, SHORT_FREEZE)) {
      allFaults(injector, plan(60, 60, AT_MOST), Map.of());
      assertWatchesLasted(injector.processRecords());
      return injector.laneResponses();
    }
  }

  /** Stores of the packages in other languages take part. */
  @Test
  @Tag("thorough")
  @Requires(RequiredTool.GO)
  @Requires(RequiredTool.PYTHON)
  @Requires(RequiredTool.NODE)
  void faultsOfEachReplica_breakNoPromise() throws Exception {
    Map<String, Program> packages = PackageStores.programs();
    try (FaultInjector injector = replicas(3, 3, 3, ProcessSetup.ROOMY, SHORT_FREEZE)) {
      allFaults(injector, plan(60, 60, AT_MOST), packages);
      assertWatchesLasted(injector.processRecords());
    }
  }

  @Test
  void alternatingWithLaggingReplica_neverTravelsBack() throws Exception {
    try (FaultInjector injector = replicas(2, 1, 1, ProcessSetup.ROOMY, SHORT_FREEZE)) {
      JudgedRun trial =
          JudgedRun.of(apiserver, injector, List.of(ReplicaFault.LAG), plan(60, 60, LAGGING));
      assertHolds(trial, injector.processRecords());
      assertThat(trial.result().report().of(Promise.NO_TIME_TRAVEL).judged()).isPositive();
      assertThat(trial.result().report().of(Promise.RESUMABLE).judged()).isPositive();
      assertListedOnce(injector.processRecords(), LAGGING);
      assertWatchesLasted(injector.processRecords());
    }
  }

  @Test
  @Tag("thorough")
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void longFreezes_with300Streams_breakNoPromise() throws Exception {
    try (FaultInjector injector = replicas(3, 3, 3, ProcessSetup.ROOMIEST, LONG_FREEZE)) {
      allFaults(injector, plan(300, 200, Duration.ofMinutes(15)), Map.of());
    }
  }

  private FaultInjector replicas(
      int number, int victims, int victimsOfFault, ProcessSetup setup, Duration freeze)
      throws Exception {
    System.out.println("Replicas with seed " + seed);
    return FaultInjector.ofReplicas(
        apiserver, number, victims, victimsOfFault, setup, freeze, seed);
  }

  private CheckPlan plan(int subscribers, double rate, Duration duration) {
    return new CheckPlan(subscribers, rate, duration, seed, JudgedRun.SETTLE, Duration.ZERO);
  }

  private void allFaults(FaultInjector injector, CheckPlan plan, Map<String, Program> packages)
      throws Exception {
    Instant begin = Instant.now();
    JudgedRun trial = JudgedRun.ofEach(apiserver, injector, ALL, plan, packages);
    Duration lasted = Duration.between(begin, Instant.now());
    assertHolds(trial, injector.processRecords());
    assertThat(trial.faults()).as("faults").containsKeys(ALL.toArray(Fault[]::new));
    assertThat(trial.result().streams().silent()).as("streams that were silent").isPositive();
    for (Promise promise : Promise.values()) {
      assertThat(trial.result().report().of(promise).judged()).as("%s", promise).isPositive();
    }
    assertListedOnce(injector.processRecords(), lasted);
  }

  private void assertHolds(JudgedRun trial, List<ProcessRecord> records) {
    CheckResult result = trial.result();
    System.out.printf("Faults %s%n%s%n", trial.faults(), result.text());
    System.out.println(trial.informers().text());
    trial.assertHolds(seed);
    assertThat(result.forced())
        .as(
            "snapshots forced, seed %d, while %s",
            seed, records.stream().map(ProcessRecord::asked).toList())
        .isEmpty();
  }

  /**
   * Checks that each gateway has listed a type once, whatever happened to it. In addition it may
   * backfill history for older tokens, and it ends a watch only by itself: to find the apiserver's
   * version, by a short watch, for a client that is ahead. On a busy machine the run may last
   * longer than the apiserver's watch cache; then backfills of the oldest tokens may fail. The
   * apiserver may end the short watch before a gateway that was frozen has its answer: it counts
   * one early end. Another check asserts that no stream got an unnecessary snapshot.
   */
  private static void assertListedOnce(List<ProcessRecord> records, Duration lasted) {
    boolean isRemembered = lasted.compareTo(REMEMBERED) < 0;
    for (ProcessRecord life : records) {
      for (String type : TYPES) {
        String who = "%s, %s".formatted(type, life.asked());
        assertThat(sum(life, "lists", type)).as("lists of %s", who).isEqualTo(1);
        assertThat(sum(life, "backfills", type))
            .as("fetches of the past of %s", who)
            .isLessThanOrEqualTo(MOST_BACKFILLS)
            .isEqualTo(
                sum(life, "backfills", type, "outcome=\"reached\"")
                    + (isRemembered ? 0 : sum(life, "backfills", type, "outcome=\"expired\""))
                    + sum(life, "backfills", type, "outcome=\"unanswered\""));
        double early = sum(life, "watch_ends", type, "reason=\"early\"");
        assertThat(early)
            .as("early ends of watches of %s", who)
            .isLessThanOrEqualTo(life.suffered().contains(ReplicaFault.FREEZE) ? 1 : 0);
        assertThat(sum(life, "watch_ends", type))
            .as("ends of watches of %s", who)
            .isEqualTo(sum(life, "watch_ends", type, "reason=\"clean\"") + early);
      }
    }
  }

  /**
   * Checks that watches lasted. A client is not ahead of an up-to-date gateway for long. It may be
   * ahead of a gateway that was frozen, and its timeout has then expired by the clock: the gateway
   * looks up the version once for all of them.
   */
  private static void assertWatchesLasted(List<ProcessRecord> records) {
    for (ProcessRecord life : records) {
      if (!life.suffered().contains(ReplicaFault.LAG)) {
        double most = life.suffered().contains(ReplicaFault.FREEZE) ? ENDS_OF_A_LOOK : 0;
        assertThat(TYPES)
            .as(life.asked())
            .allSatisfy(
                type -> assertThat(sum(life, "watch_ends", type)).isLessThanOrEqualTo(most));
      }
    }
  }

  private static double sum(ProcessRecord life, String what, String type, String... labels) {
    List<String> all = new ArrayList<>(List.of(labels));
    all.add("type=\"" + type + "\"");
    return life.metrics().sum("watchgate_" + what + "_total", all.toArray(String[]::new));
  }
}
