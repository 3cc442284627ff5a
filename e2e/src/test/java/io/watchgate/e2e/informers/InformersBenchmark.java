package io.watchgate.e2e.informers;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.Credential;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import io.watchgate.e2e.informers.MeasuredProcess.Line;
import io.watchgate.e2e.proxy.FaultProxy;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Benchmark of the SDK's informer against those of fabric8 and of the official client: 10,000 pods
 * at a real kube-apiserver, 200 changes per second, a cut connection, and a silent connection. One
 * round takes about a quarter of an hour and needs an otherwise idle machine.
 *
 * <pre>
 * mvn -q test -pl e2e -am -Dwatchgate.excluded.tags= -Dwatchgate.test.jvm= -Dtest=InformersBenchmark -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 *
 * <p>{@code -Dwatchgate.test.args='-Drounds=1 -Dpods=2000 -Dsides=FABRIC8,RAW'} runs a shorter one.
 */
@WithApiserver
@Tag("benchmark")
@Timeout(value = 2, unit = TimeUnit.HOURS)
@Execution(ExecutionMode.SAME_THREAD) // alone, if only benchmarks run
class InformersBenchmark {
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private static final int ROUNDS = Integer.getInteger("rounds", 3);
  private static final int PODS = Integer.getInteger("pods", 10_000);
  private static final int CHANGES_A_SECOND = 200;

  /** Duration of the first measurement, in a JVM that is still warming up. */
  private static final Duration NEW = Duration.ofSeconds(20);

  /** Delay and duration of the second measurement; at least twice {@link #NEW}. */
  private static final Duration LATER = Duration.ofSeconds(Integer.getInteger("later", 60));

  private static final int CUTS = Integer.getInteger("cuts", 3);
  private static final Duration CUT = Duration.ofSeconds(5);
  private static final int CHANGED_MEANWHILE = 10;
  private static final Duration LIVE_LIMIT = Duration.ofMinutes(1);
  private static final Duration QUIET = Duration.ofSeconds(2);
  private static final Duration SILENCE = Duration.ofSeconds(Integer.getInteger("silence", 135));

  private static final String RENEWED = "deleted and created anew during the cut";
  private static final String HALF_OPEN = "silent half-open connection";

  private static final List<ComparedLibrary> SIDES =
      Arrays.stream(System.getProperty("sides", "").split(",", -1))
          .filter(name -> !name.isEmpty())
          .map(ComparedLibrary::valueOf)
          .toList();

  private final Table<InformerMetric, ComparedLibrary> table =
      new Table<>(InformerMetric.class, List.of(ComparedLibrary.values()));
  private final Map<ComparedLibrary, Libraries> libraries = new EnumMap<>(ComparedLibrary.class);

  @Test
  void theSameWorkForEach(@OwnApiserver Apiserver apiserver) throws Exception {
    for (ComparedLibrary side : ComparedLibrary.values()) {
      Libraries of = Libraries.of(side);
      libraries.put(side, of);
      table.add(InformerMetric.JARS, side, of.entries().size());
      table.add(InformerMetric.CLASS_PATH, side, of.bytes() / 1e6);
    }
    progress("creating %,d pods", PODS);
    Pods pods = Pods.create(apiserver.cluster(), PODS);
    int bytes = pods.bytesEach();
    progress("%,d bytes of JSON each, %,d of them managed fields", bytes, pods.managedBytesEach());
    for (int round = 1; round <= ROUNDS; round++) {
      for (ComparedLibrary side : chosen(ComparedLibrary.OFFICIAL, ComparedLibrary.FABRIC8)) {
        progress("round %d: %s", round, side);
        measure(side, new Upstream(apiserver, null), pods);
      }
      try (ServedGateway gateway = ServedGateway.start(apiserver)) {
        Upstream upstream = new Upstream(apiserver, gateway);
        warmUp(upstream);
        for (ComparedLibrary side :
            chosen(ComparedLibrary.RAW, ComparedLibrary.TO_FABRIC8, ComparedLibrary.TO_OFFICIAL)) {
          progress("round %d: %s", round, side);
          measure(side, upstream, pods);
        }
      }
    }
    silence(apiserver);
    OUT.println();
    OUT.print(table.markdown());
    OUT.println();
    OUT.print(InformerGoals.of(table, bytes));
  }

  /** Returns the libraries that are selected for measurement. */
  private static List<ComparedLibrary> chosen(ComparedLibrary... sides) {
    return Arrays.stream(sides).filter(side -> SIDES.isEmpty() || SIDES.contains(side)).toList();
  }

  /** Server that a library connects to. */
  private record Upstream(Apiserver apiserver, @Nullable ServedGateway gateway) {
    URI uri() {
      return gateway == null ? apiserver.server() : gateway.uri();
    }

    /** Returns the arguments of {@link ComparedLibrary#main}. */
    List<String> arguments(ComparedLibrary side, URI address) {
      return side.isOurs()
          ? List.of(
              Integer.toString(PODS),
              Integer.toString(address.getPort()),
              apiserver.file(Credential.AUTHORITY).toString(),
              side.decoder())
          : List.of(Integer.toString(PODS), kubeconfig(address));
    }

    private String kubeconfig(URI address) {
      return (address.equals(apiserver.server())
              ? apiserver.kubeconfig()
              : apiserver.kubeconfigVia(address))
          .toString();
    }

    double gatewayCpuSeconds() {
      return gateway == null ? 0 : seconds(gateway.cpu());
    }
  }

  private MeasuredProcess start(
      ComparedLibrary side, Upstream upstream, URI address, String... options) throws IOException {
    Libraries of = libraries.get(side);
    if (of == null) {
      throw new IllegalStateException("no libraries of " + side);
    }
    return MeasuredProcess.start(
        side.name(), side.command(of, List.of(options), upstream.arguments(side, address)));
  }

  /** Warms the gateway up, as the apiserver already is. */
  private void warmUp(Upstream upstream) throws Exception {
    try (MeasuredProcess first = start(ComparedLibrary.RAW, upstream, upstream.uri())) {
      first.awaitSynced();
    }
  }

  private void measure(ComparedLibrary side, Upstream upstream, Pods pods) throws Exception {
    double gatewayBefore = upstream.gatewayCpuSeconds();
    try (MeasuredProcess measured = start(side, upstream, upstream.uri())) {
      MeasuredProcess.Synced synced = measured.awaitSynced();
      table.add(InformerMetric.SYNCED, side, seconds(synced.after()));
      table.add(InformerMetric.SYNCED_CPU, side, seconds(synced.cpu()));
      if (side.isOurs()) {
        table.add(
            InformerMetric.SYNCED_GATEWAY, side, upstream.gatewayCpuSeconds() - gatewayBefore);
      }
      table.add(InformerMetric.RESIDENT, side, synced.residentKib() / 1024.0);
      progress("  synced after %.2f s", seconds(synced.after()));
      follow(side, upstream, pods, measured);
    }
    weigh(side, upstream);
    cut(side, upstream, pods);
  }

  private void weigh(ComparedLibrary side, Upstream upstream) throws Exception {
    try (MeasuredProcess measured =
        start(side, upstream, upstream.uri(), "-D" + MeasuredProgram.HEAP_MEASURED + "=true")) {
      MeasuredProcess.Weighed weighed = measured.awaitWeighed();
      double each = (measured.ask("heap") - weighed.heapWithout()) / (double) PODS;
      double fixed = (weighed.heapWithout() - weighed.heapBefore()) / 1e6;
      table.add(InformerMetric.HEAP, side, each);
      table.add(InformerMetric.HEAP_FIXED, side, fixed);
      progress("  %,.0f B of heap a pod, and %.1f MB", each, fixed);
    }
  }

  // ---- changes

  private void follow(ComparedLibrary side, Upstream upstream, Pods pods, MeasuredProcess measured)
      throws Exception {
    long atFirst = measured.ask("events");
    PodPatcher patches = PodPatcher.start(pods, CHANGES_A_SECOND);
    try {
      Pause.of(NEW);
      table.add(InformerMetric.EVENT, side, measure(measured, upstream, NEW).client());
      Pause.of(LATER.minus(NEW).minus(NEW));
      EventCost later = measure(measured, upstream, LATER);
      table.add(InformerMetric.EVENT_LATER, side, later.client());
      if (side.isOurs()) {
        table.add(InformerMetric.EVENT_GATEWAY, side, later.gateway());
      }
      patches.end();
      measured.awaitEvents(atFirst + patches.written());
    } finally {
      patches.end();
    }
  }

  private static EventCost measure(MeasuredProcess measured, Upstream upstream, Duration time)
      throws Exception {
    EventCost cost = EventCost.measure(measured, upstream.gateway(), time);
    progress("  %,.0f µs of CPU an event, of %,d", cost.client(), cost.events());
    return cost;
  }

  // ---- cut connection

  private void cut(ComparedLibrary side, Upstream upstream, Pods pods) throws Exception {
    try (FaultProxy link = new FaultProxy(upstream.uri());
        MeasuredProcess measured =
            start(side, upstream, link.uri(), "-D" + EventRecorder.JUDGES + "=true")) {
      measured.awaitSynced();
      for (int cut = 1; cut <= CUTS; cut++) {
        awaitQuiet(measured);
        cutOnce(side, pods, link, measured, cut);
      }
    }
  }

  private void cutOnce(
      ComparedLibrary side, Pods pods, FaultProxy link, MeasuredProcess measured, int cut)
      throws Exception {
    long againBefore = measured.ask("again");
    int printedBefore = measured.printedEvents().size();
    long begun = System.nanoTime();
    link.pass(FaultProxy.Manner.CUT);
    pods.delete(1);
    pods.create(1);
    for (int pod = 2; pod < 2 + CHANGED_MEANWHILE; pod++) {
      pods.patch(pod);
    }
    JsonNode marked = pods.patch(0);
    Pause.of(CUT.minusNanos(System.nanoTime() - begun));
    long returned = System.nanoTime();
    link.pass(FaultProxy.Manner.PASSING);
    String version = marked.at("/metadata/resourceVersion").textValue();
    await(side + " is live again")
        .atMost(LIVE_LIMIT)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> measured.printedEvents().stream().anyMatch(line -> isMarked(line, version)));
    Line live =
        measured.printedEvents().stream()
            .filter(line -> isMarked(line, version))
            .findFirst()
            .orElseThrow();
    double after = (live.nanoTime() - returned) / 1e9;
    awaitQuiet(measured);
    long again = measured.ask("again") - againBefore;
    String renewed =
        measured.printedEvents().stream()
            .skip(printedBefore)
            .filter(line -> line.word(2).equals(Pods.RENEWED))
            .map(line -> line.word(1))
            .collect(Collectors.joining(", "));
    table.add(InformerMetric.LIVE, side, after);
    table.add(InformerMetric.AGAIN, side, (double) again);
    table.say(RENEWED, side, renewed);
    progress(
        "  cut %d: live after %.2f s, %,d events of nothing new, renewed: %s",
        cut, after, again, renewed);
  }

  private static boolean isMarked(Line line, String version) {
    return line.word(2).equals(Pods.MARKER) && line.text().endsWith("@" + version);
  }

  /** Waits until no further event arrives. */
  private static void awaitQuiet(MeasuredProcess measured) throws Exception {
    long before = -1;
    for (long now = measured.ask("events"); now != before; now = measured.ask("events")) {
      before = now;
      Pause.of(QUIET);
    }
  }

  // ---- silent connection

  /** Measures all libraries at once, because they are idle during the silence. */
  private void silence(Apiserver apiserver) throws Exception {
    progress("silent links, up to %d s", SILENCE.toSeconds());
    List<AutoCloseable> opened = new ArrayList<>();
    try {
      ServedGateway gateway = ServedGateway.start(apiserver);
      opened.add(gateway);
      Map<ComparedLibrary, FaultProxy> links = new EnumMap<>(ComparedLibrary.class);
      for (ComparedLibrary side :
          chosen(ComparedLibrary.OFFICIAL, ComparedLibrary.FABRIC8, ComparedLibrary.RAW)) {
        Upstream upstream = new Upstream(apiserver, side.isOurs() ? gateway : null);
        FaultProxy link = new FaultProxy(upstream.uri());
        opened.add(link);
        MeasuredProcess measured = start(side, upstream, link.uri());
        opened.add(measured);
        measured.awaitSynced();
        awaitQuiet(measured);
        links.put(side, link);
      }
      awaitNoticed(links);
    } finally {
      for (AutoCloseable each : opened.reversed()) {
        each.close();
      }
    }
  }

  private void awaitNoticed(Map<ComparedLibrary, FaultProxy> links) {
    Map<ComparedLibrary, Integer> before = new EnumMap<>(ComparedLibrary.class);
    links.forEach((side, link) -> before.put(side, link.accepted()));
    links.forEach((side, link) -> link.pass(FaultProxy.Manner.SILENT));
    links.keySet().forEach(side -> say(side, "not noticed in " + SILENCE.toSeconds() + " s"));
    long begun = System.nanoTime();
    while (!before.isEmpty() && System.nanoTime() - begun < SILENCE.toNanos()) {
      Pause.of(Duration.ofMillis(100));
      long after = Duration.ofNanos(System.nanoTime() - begun).toSeconds();
      links.forEach(
          (side, link) -> {
            Integer known = before.get(side);
            if (known != null && link.accepted() > known) {
              before.remove(side);
              say(side, "noticed after " + after + " s");
            }
          });
    }
  }

  private void say(ComparedLibrary side, String word) {
    table.say(HALF_OPEN, side, word);
    progress("  %s: %s", side, word);
  }

  // ----

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }

  private static void progress(String format, Object... arguments) {
    OUT.printf(Locale.ROOT, format + "%n", arguments);
  }
}
