package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.watchgate.check.CheckReport;
import io.watchgate.check.Truth;
import io.watchgate.check.run.CheckObserver;
import io.watchgate.check.run.CheckPlan;
import io.watchgate.check.run.CheckResult;
import io.watchgate.check.run.CheckRun;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.program.Program;
import io.watchgate.kube.Kubeconfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Check of a gateway, or of its replicas, while a fault injector inflicts faults.
 *
 * @param informers results of the informers that took part
 * @param watches clients of the Kubernetes read API that took part, and are closed
 * @param faults number of times that each fault was inflicted
 * @param logs folder of the gateways' logs, for a report
 */
record JudgedRun(
    CheckResult result,
    InformerResults informers,
    JudgedWatches watches,
    Map<Fault, Integer> faults,
    String logs) {
  /** Time to settle of plans of tests: on a busy machine processes stand still for seconds. */
  static final Duration SETTLE = Duration.ofMinutes(3);

  /** Number of connections to each replica. */
  private static final int CONNECTIONS = 4;

  /** Fails with all violations and the folder of the logs. */
  void assertHolds(long seed) {
    String run = "seed " + seed + ", " + logs;
    assertThat(result.holds()).as("%s: %s", run, result.text()).isTrue();
    informers.assertHolds(run);
    watches.assertHolds(run);
  }

  CheckReport report(Detection.Clients clients) {
    return switch (clients) {
      case GRPC -> result.report();
      case HTTP -> watches.report();
    };
  }

  /** Inflicts faults during the writes. */
  static JudgedRun of(
      Apiserver apiserver, FaultInjector injector, List<? extends Fault> faults, CheckPlan plan)
      throws Exception {
    return of(
        apiserver, injector, plan, () -> injector.begin(faults), (seconds, informers) -> false);
  }

  /**
   * Inflicts faults for at least this time and until this number of different faults has occurred;
   * the duration of a fault depends on the machine. Not longer than planned.
   */
  static JudgedRun ofKinds(
      Apiserver apiserver,
      FaultInjector injector,
      List<? extends Fault> faults,
      CheckPlan plan,
      Duration atLeast,
      int kinds)
      throws Exception {
    return of(
        apiserver,
        injector,
        plan,
        () -> injector.begin(faults),
        (seconds, informers) -> seconds >= atLeast.toNanos() / 1e9 && injector.kinds() >= kinds);
  }

  /**
   * Inflicts each fault once, and writes until this number of store states has been observed. Not
   * longer than planned.
   */
  static JudgedRun ofLooks(
      Apiserver apiserver,
      FaultInjector injector,
      List<? extends Fault> faults,
      CheckPlan plan,
      long looks)
      throws Exception {
    return of(
        apiserver,
        injector,
        plan,
        () -> injector.beginOnce(faults),
        (seconds, informers) -> injector.hasInflicted(faults) && informers.looks() >= looks);
  }

  /** Inflicts each fault once, and writes until all have occurred, but not longer than planned. */
  static JudgedRun ofEach(
      Apiserver apiserver, FaultInjector injector, List<? extends Fault> faults, CheckPlan plan)
      throws Exception {
    return ofEach(apiserver, injector, faults, plan, Map.of());
  }

  /**
   * Inflicts each fault once, also on stores of packages in other languages.
   *
   * @param packages programs with stores of packages, by their language
   */
  static JudgedRun ofEach(
      Apiserver apiserver,
      FaultInjector injector,
      List<? extends Fault> faults,
      CheckPlan plan,
      Map<String, Program> packages)
      throws Exception {
    return of(
        apiserver,
        injector,
        plan,
        packages,
        () -> injector.beginOnce(faults),
        (seconds, informers) -> injector.hasInflicted(faults));
  }

  private static JudgedRun of(
      Apiserver apiserver, FaultInjector injector, CheckPlan plan, Runnable begin, Enough enough)
      throws Exception {
    return of(apiserver, injector, plan, Map.of(), begin, enough);
  }

  private static JudgedRun of(
      Apiserver apiserver,
      FaultInjector injector,
      CheckPlan plan,
      Map<String, Program> packages,
      Runnable begin,
      Enough enough)
      throws Exception {
    List<ManagedChannel> channels = new ArrayList<>();
    try (JudgedInformers informers = new JudgedInformers(injector.ports(), packages);
        JudgedWatches watches =
            new JudgedWatches(
                injector.kubePorts(), apiserver.token(), injector.relayed(), plan.seed())) {
      for (int i = 0; i < CONNECTIONS; i++) {
        for (int port : injector.ports()) {
          channels.add(
              Grpc.newChannelBuilderForAddress(
                      "127.0.0.1", port, InsecureChannelCredentials.create())
                  .build());
        }
      }
      Quiet observer = new Quiet(injector, begin, enough, channels, informers, watches);
      CheckRun run =
          new CheckRun(plan, Kubeconfig.load(apiserver.kubeconfig(), ""), channels, observer);
      observer.run = run;
      CheckResult result = run.run();
      return new JudgedRun(result, informers.results(), watches, observer.done, injector.logs());
    } finally {
      channels.forEach(ManagedChannel::shutdownNow);
    }
  }

  /** Condition for the end of the writes. */
  private interface Enough {
    boolean is(double seconds, JudgedInformers informers);
  }

  private static final class Quiet implements CheckObserver {
    private final FaultInjector injector;
    private final Runnable begin;
    private final Enough enough;
    private final List<ManagedChannel> channels;
    private final JudgedInformers informers;
    private final JudgedWatches watches;
    private @Nullable CheckRun run;
    private Map<Fault, Integer> done = Map.of();

    Quiet(
        FaultInjector injector,
        Runnable begin,
        Enough enough,
        List<ManagedChannel> channels,
        JudgedInformers informers,
        JudgedWatches watches) {
      this.injector = injector;
      this.begin = begin;
      this.enough = enough;
      this.channels = channels;
      this.informers = informers;
      this.watches = watches;
    }

    @Override
    public void prepared(List<String> namespaces) {
      informers.begin(namespaces);
      watches.begin(namespaces);
    }

    @Override
    public void truthRecorded(String type, Truth truth) throws InterruptedException {
      watches.settle();
      informers.judge(type, truth);
      watches.judge(type, truth);
    }

    /**
     * Resets gRPC's backoff once per second; otherwise gRPC would wait longer each time, and there
     * would be little to judge.
     */
    @Override
    public void progress(double seconds, double of, long writes) {
      channels.forEach(ManagedChannel::resetConnectBackoff);
      informers.turn();
      if (run != null && enough.is(seconds, informers)) {
        run.endWrites();
      }
    }

    @Override
    public void writesBegin() {
      informers.awaitSynced();
      watches.awaitSynced();
      begin.run();
    }

    @Override
    public void writesEnded() throws InterruptedException {
      done = injector.rest();
    }
  }
}
