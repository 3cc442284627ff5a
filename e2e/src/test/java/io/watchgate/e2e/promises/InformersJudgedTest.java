package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.check.Promise;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Judged test of SDK informers: each state of each store, and all changes that handlers receive,
 * are checked against the judge's truth. {@link PromisesTest}, {@link FaultsTest} and, with several
 * replicas, {@link ReplicasJudgedTest} also have informers. The SDK's mutations ({@code
 * e2e/mutations}) must be detected here.
 */
@WithApiserver
final class InformersJudgedTest {
  private static final int SUBSCRIBERS = 6;
  private static final double RATE = 120;
  private static final long LOOKS = 400;

  /** Limit for a slow machine: writes end once each fault has occurred, and with {@link #LOOKS}. */
  private static final Duration AT_MOST = Duration.ofMinutes(5);

  /**
   * Faults, including those after which an informer receives a net effect or a snapshot instead of
   * each change.
   */
  private static final List<Fault> FAULTS =
      List.of(
          SubscriberFault.GONE,
          SubscriberFault.VANISHED,
          SubscriberFault.AWAY,
          LinkFault.COMPACTION,
          GatewayFault.FORGET);

  private final long seed = Long.getLong("seed", new Random().nextLong());

  @Test
  void informersUnderFaults_keepAllPromises(
      @OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver apiserver)
      throws Exception {
    System.out.println("Informers with seed " + seed);
    try (FaultInjector injector = FaultInjector.ofLinks(apiserver, seed)) {
      JudgedRun trial =
          JudgedRun.ofLooks(
              apiserver,
              injector,
              FAULTS,
              new CheckPlan(SUBSCRIBERS, RATE, AT_MOST, seed, JudgedRun.SETTLE, Duration.ZERO),
              LOOKS);
      System.out.printf("Faults %s%n%s%n", trial.faults(), trial.informers().text());
      trial.informers().assertHolds("seed " + seed + ", " + trial.logs());
      assertThat(trial.faults()).containsKeys(FAULTS.toArray(Fault[]::new));
      for (Promise promise :
          List.of(
              Promise.ORDERED,
              Promise.UNIQUE,
              Promise.COMPLETE,
              Promise.FILTERED,
              Promise.CONTENT,
              Promise.SNAPSHOT,
              Promise.BOOKMARKABLE,
              Promise.CONFLATION)) {
        assertThat(trial.informers().report().of(promise).judged()).as("%s", promise).isPositive();
      }
    }
  }
}
