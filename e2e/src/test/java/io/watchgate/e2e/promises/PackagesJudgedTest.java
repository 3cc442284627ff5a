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
import org.junit.jupiter.api.Test;

/**
 * Judged test of the stores of the packages in other languages: each printed state is checked
 * against the judge's truth, while connections, the gateway and its history fail. {@link
 * InformersJudgedTest} does so with the Java SDK.
 */
@WithApiserver
@Requires(RequiredTool.PYTHON)
@Requires(RequiredTool.NODE)
final class PackagesJudgedTest {
  private static final int SUBSCRIBERS = 6;
  private static final double RATE = 50;
  private static final Duration AT_MOST = Duration.ofMinutes(3);

  private static final List<Fault> FAULTS =
      List.of(
          SubscriberFault.GONE,
          SubscriberFault.VANISHED,
          SubscriberFault.AWAY,
          SubscriberFault.SLOW,
          LinkFault.CUT,
          LinkFault.COMPACTION,
          GatewayFault.TERM,
          GatewayFault.KILL,
          GatewayFault.FORGET,
          GatewayFault.STOP);

  private final long seed = Long.getLong("seed", new Random().nextLong());

  @Test
  void storesUnderFaults_keepAllPromises(
      @OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver apiserver)
      throws Exception {
    System.out.println("Stores of packages with seed " + seed);
    try (FaultInjector injector = FaultInjector.ofLinks(apiserver, seed)) {
      JudgedRun trial =
          JudgedRun.ofEach(
              apiserver,
              injector,
              FAULTS,
              new CheckPlan(SUBSCRIBERS, RATE, AT_MOST, seed),
              PackageStores.programs());
      System.out.printf("Faults %s%n%s%n", trial.faults(), trial.informers().text());
      trial.assertHolds(seed);
      assertThat(trial.faults()).containsKeys(FAULTS.toArray(Fault[]::new));
    }
  }
}
