package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.watchgate.check.Promise;
import io.watchgate.check.run.CheckObserver;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.check.run.CheckResult;
import io.watchgate.check.run.CheckRun;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.kube.Kubeconfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code -Dwatchgate.test.args=-Dseed=N} repeats what is written, asked for and broken; {@code
 * -Dseconds=N} among them says for how long.
 */
@WithApiserver
final class PromisesTest {
  // Config maps without watch cache: only so a compaction expires a watch.
  private static final String UNCACHED = "--watch-cache-sizes=configmaps#0";
  private static final String UNCOMPACTED = "--etcd-compaction-interval=0";
  private static final int SUBSCRIBERS = 60;
  private static final double RATE = 120;
  private static final int CONNECTIONS = 4;
  private static final int USUAL_SECONDS = 60;
  private static final int LONG = 12;

  /** Small, so that history is trimmed all the time, and whoever pauses falls out of it. */
  private static final GatewaySetup GATEWAY =
      GatewaySetup.QUICK.with(
          GatewaySetup.QUICK.cache().withHistory(Duration.ofMinutes(10), 512 << 10));

  private final long seed = Long.getLong("seed", new Random().nextLong());

  @Test
  void everyPromiseHoldsWhileEverythingBreaks(
      @OwnApiserver(flags = {UNCACHED, UNCOMPACTED}) Apiserver apiserver) throws Exception {
    run(apiserver, seed, Duration.ofSeconds(Long.getLong("seconds", USUAL_SECONDS)));
  }

  @Test
  @Tag("thorough")
  void everyPromiseHoldsForAnHour(
      @OwnApiserver(flags = {UNCACHED, UNCOMPACTED}) Apiserver apiserver) throws Exception {
    for (int round = 0; round < LONG; round++) {
      run(apiserver, seed + round, Duration.ofMinutes(5));
    }
  }

  private static void run(Apiserver apiserver, long seed, Duration duration) throws Exception {
    System.out.println("Promises with seed " + seed);
    List<ManagedChannel> channels = new ArrayList<>();
    try (Adversary adversary = new Adversary(apiserver, GATEWAY, seed)) {
      for (int i = 0; i < CONNECTIONS; i++) {
        channels.add(
            Grpc.newChannelBuilderForAddress(
                    "127.0.0.1", adversary.port(), InsecureChannelCredentials.create())
                .build());
      }
      Quiet observer = new Quiet(adversary);
      CheckResult result =
          new CheckRun(
                  new CheckPlan(SUBSCRIBERS, RATE, duration, seed, CheckPlan.USUAL_SETTLE),
                  Kubeconfig.load(apiserver.kubeconfig(), ""),
                  channels,
                  observer)
              .run();
      System.out.printf("Faults %s%n%s%n", observer.faults, result.text());
      assertThat(result.holds()).as("seed %d: %s", seed, result.text()).isTrue();
      assertThat(observer.faults.keySet()).as("faults").hasSizeGreaterThan(4);
      assertThat(result.netEffects()).as("net effects").isPositive();
      assertThat(result.resumed()).as("resumes").isGreaterThan(duration.toSeconds());
      for (Promise promise : Promise.values()) {
        assertThat(result.report().of(promise).judged()).as("%s", promise).isPositive();
      }
    } finally {
      channels.forEach(ManagedChannel::shutdownNow);
    }
  }

  /** Has things break while there are writes, and no longer. */
  private static final class Quiet implements CheckObserver {
    private final Adversary adversary;
    private Map<Fault, Integer> faults = Map.of();

    Quiet(Adversary adversary) {
      this.adversary = adversary;
    }

    @Override
    public void writesBegin() {
      adversary.begin();
    }

    @Override
    public void writesEnded() throws InterruptedException {
      faults = adversary.end();
    }
  }
}
