package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.check.run.CheckPlan;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Judged test of the stores of the packages in other languages: each printed state, and each change
 * of a reader, is checked against the judge's truth, while connections, the gateway and its history
 * fail. {@link InformersJudgedTest} does so with the Java SDK.
 */
@WithApiserver
@Requires(RequiredTool.GO)
@Requires(RequiredTool.PYTHON)
@Requires(RequiredTool.NODE)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PackagesJudgedTest {
  private static final int SUBSCRIBERS = 6;
  private static final double RATE = 50;

  /** Limit for a slow machine: writes end as soon as each fault has occurred. */
  private static final Duration AT_MOST = Duration.ofMinutes(5);

  /**
   * Causes of different paths: a cut, silence, a restart, an expired position; an object that
   * cannot be read, an event that must not be repeated, a version that goes back, and a list of
   * objects in other bytes that have not changed.
   */
  private static final List<Fault> FEW =
      List.of(
          SubscriberFault.AWAY,
          SubscriberFault.VANISHED,
          GatewayFault.TERM,
          GatewayFault.FORGET,
          AnswerFault.AN_UNREADABLE_OBJECT,
          AnswerFault.AN_OLD_EVENT_AGAIN,
          AnswerFault.A_VERSION_THAT_GOES_BACK,
          AnswerFault.A_LIST_IN_ANOTHER_FORM);

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private Apiserver apiserver;

  @BeforeAll
  void start(
      @OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver own) {
    apiserver = own;
  }

  @Test
  void storesUnderFewFaults_keepAllPromises() throws Exception {
    judge(FEW);
  }

  @Test
  @Tag("thorough")
  void storesUnderAllFaults_keepAllPromises() throws Exception {
    judge(Fault.all().toList());
  }

  private void judge(List<Fault> faults) throws Exception {
    System.out.println("Stores of packages with seed " + seed);
    try (FaultInjector injector = FaultInjector.ofAnswers(apiserver, seed)) {
      JudgedRun trial =
          JudgedRun.ofEach(
              apiserver,
              injector,
              faults,
              new CheckPlan(SUBSCRIBERS, RATE, AT_MOST, seed, JudgedRun.SETTLE, Duration.ZERO),
              PackageStores.programs());
      System.out.printf("Faults %s%n%s%n", trial.faults(), trial.informers().text());
      trial.assertHolds(seed);
      assertThat(trial.informers().states()).containsOnlyKeys("Go", "Java", "Node", "Python");
      assertThat(trial.informers().changes()).containsOnlyKeys("Go", "Java", "Node", "Python");
      assertThat(trial.faults()).containsKeys(faults.toArray(Fault[]::new));
    }
  }
}
