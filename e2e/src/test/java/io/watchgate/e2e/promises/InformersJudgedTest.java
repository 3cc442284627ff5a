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
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Informers of the SDK, with few others beside them: each state of each store, and all that
 * handlers are told, by the truth of the judge. {@link PromisesTest}, {@link FaultsTest} and,
 * before several replicas, {@link ReplicasJudgedTest} have them, too; what is broken in the SDK on
 * purpose ({@code e2e/mutations}) has to be noticed here.
 */
@WithApiserver
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class InformersJudgedTest {
  private static final int SUBSCRIBERS = 6;
  private static final double RATE = 120;
  private static final long LOOKS = 400;
  private static final Duration AT_MOST = Duration.ofMinutes(1);

  /** Also those after which nobody is told each change, but what came of them, or all there is. */
  private static final List<Fault> FAULTS =
      List.of(
          SubscriberFault.GONE,
          SubscriberFault.VANISHED,
          SubscriberFault.AWAY,
          LinkFault.COMPACTION,
          GatewayFault.FORGET);

  private final long seed = Long.getLong("seed", new Random().nextLong());

  @Test
  void whateverBreaksWhatInformersHoldWasTrueAtItsVersionAndHandlersAreToldIt(
      @OwnApiserver(flags = {OwnApiserver.UNCACHED, OwnApiserver.UNCOMPACTED}) Apiserver apiserver)
      throws Exception {
    System.out.println("Informers with seed " + seed);
    try (Adversary adversary = Adversary.ofLinks(apiserver, seed)) {
      Trial trial =
          Trial.ofLooks(
              apiserver,
              adversary,
              FAULTS,
              new CheckPlan(
                  SUBSCRIBERS, RATE, AT_MOST, seed, CheckPlan.USUAL_SETTLE, Duration.ZERO),
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
