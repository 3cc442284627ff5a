package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.check.run.CheckPlan;
import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests of each fault by itself, several times during writes. Two gateways run through all faults
 * one after the other, so that leftovers of a fault are detected.
 */
@WithApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(1) // among the longest
final class FaultsTest {
  /** Least duration of writes; they go on until the fault has occurred. */
  private static final Duration WRITES = Duration.ofMillis(1_500);

  private static final Duration LONGEST_WRITES = Duration.ofMinutes(2);

  /**
   * Most trials of a hang. On a busy machine a gateway may be silent for seconds by chance; one
   * that depends on the apiserver is silent in each trial.
   */
  private static final int TRIALS_OF_A_HANG = 5;

  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int SUBSCRIBERS = 24;
  private static final double RATE = 130;

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private Apiserver apiserver;
  private TestedGateway links;
  private TestedGateway answers;

  /** Gateway that sends all responses by gRPC; null until it is tested. */
  private @Nullable TestedGateway withoutLane;

  /** Gateway of a fault injector, with its resource levels before any fault. */
  private static final class TestedGateway implements AutoCloseable {
    private final FaultInjector injector;
    private long pid;
    private ResourceUsage level = ResourceUsage.NONE;

    TestedGateway(FaultInjector injector) {
      this.injector = injector;
    }

    private MetricsText metrics() throws IOException, InterruptedException {
      return injector.gateway().metrics();
    }

    @Override
    public void close() throws IOException {
      injector.close();
    }
  }

  @BeforeAll
  void start(@OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver own)
      throws IOException {
    apiserver = own;
    links = new TestedGateway(FaultInjector.ofLinks(own, seed));
    answers = new TestedGateway(FaultInjector.ofAnswers(own, seed));
  }

  @AfterAll
  void stop() throws IOException {
    links.close();
    answers.close();
    if (withoutLane != null) {
      withoutLane.close();
    }
  }

  /**
   * Returns the faults; those after which another process serves come last, because the levels of a
   * new process have to be measured first.
   */
  static Stream<Fault> faults() {
    return Fault.all()
        .filter(fault -> !(fault instanceof AnswerFault))
        .sorted(Comparator.comparing(Fault::replacesProcess));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void fault_losesAndLeavesNothing(Fault fault) throws Exception {
    inflict(fault, links);
  }

  /** {@link PromisesTest} has these faults, mixed. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  @Tag("thorough")
  void faultWithoutLane_losesAndLeavesNothing(Fault fault) throws Exception {
    TestedGateway tested = withoutLane;
    if (tested == null) {
      tested = new TestedGateway(FaultInjector.ofLinksWithoutLane(apiserver, seed));
      withoutLane = tested;
    }

    inflict(fault, tested);

    assertThat(tested.metrics().laneResponses()).as("responses by the lane").isZero();
  }

  /** {@link PromisesTest} has some of these faults in every build, mixed. */
  @ParameterizedTest(name = "{0}")
  @Tag("thorough")
  @EnumSource(AnswerFault.class)
  void damagedAnswer_losesAndLeavesNothing(AnswerFault fault) throws Exception {
    inflict(fault, answers);
  }

  private void inflict(Fault fault, TestedGateway tested) throws Exception {
    if (tested.pid != tested.injector.gateway().pid() && !fault.replacesProcess()) {
      trial(tested, List.of());
      tested.pid = tested.injector.gateway().pid();
      tested.level = ResourceUsage.of(tested.metrics());
    }
    double before = counted(tested, fault.sign());
    double forbidden = counted(tested, fault.forbidden());

    JudgedRun trial = trial(tested, List.of(fault));

    assertThat(trial.faults()).containsKey(fault);
    if (fault == ApiserverFault.HANG) {
      for (int i = 1; i < TRIALS_OF_A_HANG && trial.result().streams().silent() > 0; i++) {
        trial = trial(tested, List.of(fault));
      }
      assertThat(trial.result().streams().silent())
          .as("streams that said nothing meanwhile")
          .isZero();
    }
    if (tested.pid == tested.injector.gateway().pid()) {
      if (fault.sign() != FaultMetric.NONE) {
        assertThat(counted(tested, fault.sign()))
            .as("%s, %s", fault.sign(), trial.logs())
            .isGreaterThan(before);
      }
      if (fault.forbidden() != FaultMetric.NONE) {
        assertThat(counted(tested, fault.forbidden()))
            .as("not %s, %s", fault.forbidden(), trial.logs())
            .isEqualTo(forbidden);
      }
      await()
          .atMost(LIMIT)
          .untilAsserted(() -> ResourceUsage.of(tested.metrics()).assertNoMoreThan(tested.level));
    }
    await().atMost(LIMIT).untilAsserted(() -> ResourceUsage.of(tested.metrics()).assertNoStreams());
  }

  private JudgedRun trial(TestedGateway tested, List<Fault> faults) throws Exception {
    JudgedRun trial =
        JudgedRun.ofKinds(
            apiserver,
            tested.injector,
            faults,
            new CheckPlan(
                SUBSCRIBERS,
                RATE,
                LONGEST_WRITES,
                seed,
                JudgedRun.SETTLE,
                Duration.ZERO,
                CheckPlan.Names.ODD),
            WRITES,
            faults.size());
    trial.assertHolds(seed);
    return trial;
  }

  private static double counted(TestedGateway tested, FaultMetric sign) throws Exception {
    return tested.metrics().sum(sign.metric(), sign.labels());
  }
}
