package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.check.Promise;
import io.watchgate.check.Report;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Judges gateways that are broken in one place each: a judge that finds nothing wrong with these
 * proves nothing about the others. {@code e2e/mutations/check} runs it.
 */
@WithApiserver
@Tag("thorough")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class MutationsTest {
  private static final int SUBSCRIBERS = 60;
  private static final double RATE = 120;

  /** Most are found soon; some need a fault that has not come yet. */
  private static final List<Duration> TRIES =
      List.of(Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(40));

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private Apiserver apiserver;

  @BeforeAll
  void start(
      @OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver own) {
    apiserver = own;
  }

  static List<Mutation> mutations() {
    return Mutation.all();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mutations")
  @Execution(ExecutionMode.SAME_THREAD)
  void eachIsNoticed(Mutation mutation) throws Exception {
    notices(mutation);
  }

  private void notices(Mutation mutation) throws Exception {
    List<Path> changed = List.of(mutation.compile());
    Report report = Report.NONE;
    Duration all = Duration.ZERO;
    for (Duration duration : TRIES) {
      try (Adversary adversary = Adversary.ofLinks(apiserver, changed, seed)) {
        report = judged(adversary, duration);
        all = all.plus(duration);
      }
      if (report.of(mutation.breaks()).broken() > 0) {
        break;
      }
    }
    System.out.printf(
        "%-40s breaks %-14s found after %2d s: %s%n",
        mutation.name(), mutation.breaks(), all.toSeconds(), broken(report));
    assertThat(report.of(mutation.breaks()).broken())
        .as("%s with seed %d: %s", mutation, seed, report.text())
        .isPositive();
  }

  private Report judged(Adversary adversary, Duration duration) throws Exception {
    CheckPlan plan =
        new CheckPlan(SUBSCRIBERS, RATE, duration, seed, Duration.ofSeconds(5), Duration.ZERO);
    return Trial.of(apiserver, adversary, List.of(LinkFault.values()), plan).result().report();
  }

  private static List<Promise> broken(Report report) {
    return Arrays.stream(Promise.values())
        .filter(promise -> report.of(promise).broken() > 0)
        .toList();
  }
}
