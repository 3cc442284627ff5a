package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.check.Promise;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.check.run.CheckResult;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Judged test with all faults at random. {@code -Dwatchgate.test.args=-Dseed=N} repeats writes,
 * requests and faults; {@code -Dseconds=N} among them sets the duration.
 */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(1) // among the longest
final class PromisesTest {
  private static final int SUBSCRIBERS = 60;
  private static final double RATE = 120;
  private static final int USUAL_SECONDS = 30;
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final int LONG_ROUNDS = 6;

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private final Duration duration = Duration.ofSeconds(Long.getLong("seconds", USUAL_SECONDS));

  /** Number of different faults in a trial. */
  private static final int KINDS = 5;

  private Apiserver apiserver;

  /** Disables the watch cache of config maps, so that a compaction expires a watch. */
  @BeforeAll
  void start(
      @OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver own) {
    apiserver = own;
  }

  private static List<Fault> links() {
    List<Fault> faults = new ArrayList<>(List.of(LinkFault.values()));
    faults.addAll(List.of(SubscriberFault.values()));
    faults.addAll(List.of(GatewayFault.values()));
    faults.addAll(List.of(ApiserverFault.values()));
    return faults;
  }

  @Test
  void randomFaults_breakNoPromise() throws Exception {
    try (FaultInjector injector = FaultInjector.ofLinks(apiserver, seed)) {
      run(injector, links(), seed, duration);
      assertThat(injector.laneResponses()).as("responses by the lane").isPositive();
    }
  }

  @Test
  void damagedAnswers_breakNoPromise() throws Exception {
    try (FaultInjector injector = FaultInjector.ofAnswers(apiserver, seed)) {
      run(injector, Fault.all().toList(), seed, duration);
      assertThat(injector.laneResponses()).as("responses by the lane").isPositive();
    }
  }

  @Test
  @Tag("thorough")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void hourOfFaults_breaksNoPromise() throws Exception {
    for (int round = 0; round < LONG_ROUNDS; round++) {
      try (FaultInjector links = FaultInjector.ofLinks(apiserver, seed + round);
          FaultInjector answers = FaultInjector.ofAnswers(apiserver, seed + round)) {
        run(links, links(), seed + round, LONG);
        run(answers, Fault.all().toList(), seed + round, LONG);
      }
    }
  }

  @Test
  @Tag("thorough")
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void randomFaultsWithoutLane_breakNoPromise() throws Exception {
    try (FaultInjector injector = FaultInjector.ofLinksWithoutLane(apiserver, seed)) {
      run(injector, links(), seed, LONG);
      assertThat(injector.laneResponses()).as("responses by the lane").isZero();
    }
  }

  private void run(FaultInjector injector, List<Fault> faults, long seed, Duration duration)
      throws Exception {
    System.out.println("Promises with seed " + seed);
    JudgedRun trial =
        JudgedRun.ofKinds(
            apiserver,
            injector,
            faults,
            new CheckPlan(
                SUBSCRIBERS,
                RATE,
                duration.multipliedBy(3).plusMinutes(2),
                seed,
                JudgedRun.SETTLE,
                Duration.ZERO,
                CheckPlan.Names.ODD),
            duration,
            KINDS);
    CheckResult result = trial.result();
    System.out.printf("Faults %s%n%s%n", trial.faults(), result.text());
    System.out.println(trial.informers().text());
    System.out.println(trial.watches().text());
    trial.assertHolds(seed);
    assertThat(trial.faults().keySet()).as("faults").hasSizeGreaterThanOrEqualTo(KINDS);
    assertThat(result.streams().resumed()).as("resumes").isGreaterThan(duration.toSeconds());
    for (Promise promise : Promise.values()) {
      assertThat(result.report().of(promise).judged()).as("%s", promise).isPositive();
    }
  }
}
