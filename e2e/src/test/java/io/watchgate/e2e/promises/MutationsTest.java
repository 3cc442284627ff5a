package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.check.CheckReport;
import io.watchgate.check.Promise;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.promises.Detection.Clients;
import io.watchgate.e2e.promises.NamedTest.Outcome;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Mutation tests: gateways with one deliberate defect each must be rejected by the judge or by a
 * test. A check that accepts a defect would prove nothing. {@code e2e/mutations/check} runs it.
 */
@WithApiserver
@Tag("thorough")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MutationsTest {
  private static final int SUBSCRIBERS = 60;
  private static final double RATE = 120;
  private static final int REPLICAS = 2;
  private static final Duration LONGEST = Duration.ofMinutes(2);

  /** Durations of the attempts: most defects are found soon, some need a rare fault. */
  private static final List<Duration> TRIES =
      List.of(Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(40));

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private Apiserver apiserver;

  @BeforeAll
  void start(
      @OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver own) {
    apiserver = own;
  }

  /** Returns all mutations, or those whose name contains the value of {@code -Dmutation=}. */
  static List<Mutation> mutations() {
    return Mutation.all().stream()
        .filter(one -> one.name().contains(System.getProperty("mutation", "")))
        .toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutations")
  void mutation_isDetected(Mutation mutation) throws Exception {
    notices(mutation);
  }

  private void notices(Mutation mutation) throws Exception {
    List<Path> changed = List.of(mutation.compile());
    switch (mutation.noticed()) {
      case Detection.AtOne(Promise broken, Clients clients) ->
          isBroken(mutation, broken, clients, duration -> ofOne(changed, duration));
      case Detection.OverReplicas(Promise broken) ->
          isBroken(mutation, broken, Clients.GRPC, duration -> ofReplicas(changed, duration));
      case Detection.ByTest(NamedTest test) -> fails(mutation, test, changed);
    }
  }

  /** One run of the judge. */
  private interface Try {
    JudgedRun run(Duration duration) throws Exception;
  }

  private void isBroken(Mutation mutation, Promise promise, Clients clients, Try run)
      throws Exception {
    CheckReport report = CheckReport.NONE;
    int tries = 0;
    while (report.of(promise).broken() == 0 && tries < TRIES.size()) {
      report = run.run(TRIES.get(tries)).report(clients);
      tries++;
    }
    System.out.printf(
        "%-40s breaks %-14s found in run %d: %s%n",
        mutation.name(), promise, tries, broken(report));
    assertThat(report.of(promise).broken())
        .as("%s with seed %d: %s", mutation, seed, report.text())
        .isPositive();
  }

  /**
   * Requires that the test fails with the change and passes without it; otherwise it would fail for
   * another reason.
   */
  private static void fails(Mutation mutation, NamedTest test, List<Path> changed)
      throws Exception {
    Outcome outcome = test.run(changed);
    System.out.printf("%-40s %s: %s%n", mutation.name(), outcome, test.method());
    assertThat(outcome).as("%s with %s", test.method(), mutation).isEqualTo(Outcome.FAILED);
    assertThat(test.run(List.of())).as("%s as it is", test.method()).isEqualTo(Outcome.PASSED);
  }

  private JudgedRun ofOne(List<Path> changed, Duration duration) throws Exception {
    try (FaultInjector injector = FaultInjector.ofLinks(apiserver, changed, seed)) {
      return JudgedRun.of(apiserver, injector, List.of(LinkFault.values()), plan(duration));
    }
  }

  /**
   * Inflicts faults for that time, and until both have occurred: a replica lags for a moment only.
   */
  private JudgedRun ofReplicas(List<Path> changed, Duration duration) throws Exception {
    ProcessSetup setup = ProcessSetup.ROOMY.withChanged(changed);
    try (FaultInjector injector =
        FaultInjector.ofReplicas(
            apiserver, REPLICAS, REPLICAS, REPLICAS, setup, Duration.ZERO, seed)) {
      List<ReplicaFault> faults = List.of(ReplicaFault.LAG, ReplicaFault.KILL);
      return JudgedRun.ofKinds(apiserver, injector, faults, plan(LONGEST), duration, faults.size());
    }
  }

  private CheckPlan plan(Duration duration) {
    return new CheckPlan(SUBSCRIBERS, RATE, duration, seed, Duration.ofSeconds(5), Duration.ZERO);
  }

  private static List<Promise> broken(CheckReport report) {
    return Arrays.stream(Promise.values())
        .filter(promise -> report.of(promise).broken() > 0)
        .toList();
  }
}
