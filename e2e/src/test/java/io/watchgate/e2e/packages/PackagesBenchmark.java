package io.watchgate.e2e.packages;

import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.bench.Figures;
import io.watchgate.e2e.informers.EventCost;
import io.watchgate.e2e.informers.Goals;
import io.watchgate.e2e.informers.MeasuredProcess;
import io.watchgate.e2e.informers.PodPatcher;
import io.watchgate.e2e.informers.Pods;
import io.watchgate.e2e.informers.ServedGateway;
import io.watchgate.e2e.informers.Table;
import io.watchgate.e2e.program.Program;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Benchmark of the packages for Go, Python and Node against the official clients of the same
 * languages: 10,000 pods at a real kube-apiserver, and 200 changes per second. One round takes
 * about 12 minutes and needs an otherwise idle machine.
 *
 * <pre>
 * mvn -q test -pl e2e -am -Dwatchgate.excluded.tags= -Dwatchgate.test.jvm= -Dtest=PackagesBenchmark -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 *
 * <p>{@code -Dwatchgate.test.args='-Drounds=1 -Dpods=500 -Dsides=CLIENT_GO,GO -Dlater=10'} runs a
 * shorter one.
 */
@WithApiserver
@Requires(RequiredTool.PYTHON)
@Requires(RequiredTool.NODE)
@Tag("benchmark")
@Timeout(value = 2, unit = TimeUnit.HOURS)
@Execution(ExecutionMode.SAME_THREAD) // alone, if only benchmarks run
class PackagesBenchmark {
  private static final int ROUNDS = Integer.getInteger("rounds", 3);
  private static final int PODS = Integer.getInteger("pods", 10_000);
  private static final int CHANGES_A_SECOND = 200;

  /** Duration of the first measurement of events, in a process that is still warming up. */
  private static final Duration NEW = Duration.ofSeconds(Integer.getInteger("new", 20));

  /** Duration of the second measurement, directly after the first. */
  private static final Duration LATER = Duration.ofSeconds(Integer.getInteger("later", 40));

  private static final List<String> CHOSEN =
      List.of(System.getProperty("sides", "").split(",", -1));

  private static final List<ComparedPackage> SIDES =
      Arrays.stream(ComparedPackage.values())
          .filter(side -> CHOSEN.contains("") || CHOSEN.contains(side.name()))
          .toList();

  private final Table<PackageMetric, ComparedPackage> table =
      new Table<>(PackageMetric.class, SIDES);
  private final Map<ComparedPackage, Program> programs = new EnumMap<>(ComparedPackage.class);

  @Test
  void theSameWorkForEach(@OwnApiserver Apiserver apiserver) throws Exception {
    for (ComparedPackage side : SIDES) {
      programs.put(side, PackagePrograms.build(side));
    }
    Figures.progress("creating %,d pods", PODS);
    Pods pods = Pods.create(apiserver.cluster(), PODS);
    Figures.progress(
        "%,d bytes of JSON each, %,d of them managed fields",
        pods.bytesEach(), pods.managedBytesEach());
    for (int round = 1; round <= ROUNDS; round++) {
      measureAll(round, new Upstream(apiserver, null), pods);
      if (SIDES.stream().anyMatch(ComparedPackage::isOurs)) {
        try (ServedGateway gateway = ServedGateway.start(apiserver)) {
          measureAll(round, new Upstream(apiserver, gateway), pods);
        }
      }
    }
    Figures.progress("%n%s%n%s", table.markdown(), goals());
  }

  /** Server that a client connects to. */
  private record Upstream(Apiserver apiserver, @Nullable ServedGateway gateway) {
    List<String> arguments() {
      String pods = Integer.toString(PODS);
      return gateway == null
          ? List.of(pods, apiserver.kubeconfig().toString())
          : List.of(
              pods, "127.0.0.1:" + gateway.port(), apiserver.file(Credential.AUTHORITY).toString());
    }

    Duration gatewayCpu() {
      return gateway == null ? Duration.ZERO : gateway.cpu();
    }
  }

  /** Measures the clients that connect to this server. */
  private void measureAll(int round, Upstream upstream, Pods pods) throws Exception {
    List<ComparedPackage> sides =
        SIDES.stream().filter(side -> side.isOurs() == (upstream.gateway() != null)).toList();
    if (!sides.isEmpty()) {
      try (MeasuredProcess first = start(sides.getFirst(), upstream)) {
        first.awaitSynced(); // warms the server up
      }
    }
    for (ComparedPackage side : sides) {
      Figures.progress("round %d: %s", round, side);
      measure(side, upstream, pods);
    }
  }

  private MeasuredProcess start(ComparedPackage side, Upstream upstream) throws IOException {
    Program program = programs.get(side);
    if (program == null) {
      throw new IllegalStateException("no program of " + side);
    }
    Program measured = program.and(upstream.arguments().toArray(String[]::new));
    return MeasuredProcess.start(side.name(), measured.commandWithEnvironment());
  }

  private void measure(ComparedPackage side, Upstream upstream, Pods pods) throws Exception {
    Duration gatewayBefore = upstream.gatewayCpu();
    try (MeasuredProcess measured = start(side, upstream)) {
      MeasuredProcess.Synced synced = measured.awaitSynced();
      table.add(PackageMetric.SYNCED, side, seconds(synced.after()));
      table.add(PackageMetric.SYNCED_CPU, side, seconds(synced.cpu()));
      table.add(PackageMetric.RESIDENT, side, synced.residentKib() / 1024.0);
      if (side.isOurs()) {
        Duration gateway = upstream.gatewayCpu().minus(gatewayBefore);
        table.add(PackageMetric.SYNCED_GATEWAY, side, seconds(gateway));
      }
      Figures.progress("  synced after %.2f s", seconds(synced.after()));
      follow(side, upstream, pods, measured);
    }
  }

  private void follow(ComparedPackage side, Upstream upstream, Pods pods, MeasuredProcess measured)
      throws Exception {
    long atFirst = measured.ask("events");
    PodPatcher patches = PodPatcher.start(pods, CHANGES_A_SECOND);
    try {
      EventCost first = EventCost.measure(measured, upstream.gateway(), NEW);
      table.add(PackageMetric.EVENT_NEW, side, first.client());
      EventCost later = EventCost.measure(measured, upstream.gateway(), LATER);
      table.add(PackageMetric.EVENT, side, later.client());
      if (side.isOurs()) {
        table.add(PackageMetric.EVENT_GATEWAY, side, later.gateway());
      }
      Figures.progress(
          "  %,.0f and %,.0f µs of CPU an event, of %,d and %,d",
          first.client(), later.client(), first.events(), later.events());
      patches.end();
      measured.awaitEvents(atFirst + patches.written());
    } finally {
      patches.end();
    }
  }

  private Goals<PackageMetric, ComparedPackage> goals() {
    Goals<PackageMetric, ComparedPackage> goals = new Goals<>(table);
    for (PackageMetric metric : List.of(PackageMetric.SYNCED, PackageMetric.EVENT)) {
      for (ComparedPackage side : SIDES) {
        if (side.isOurs()) {
          ComparedPackage official = side.official();
          goals.atMost(
              "%s: half of %s".formatted(metric, official),
              metric,
              side,
              goals.median(metric, official) / 2);
        }
      }
    }
    return goals;
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }
}
