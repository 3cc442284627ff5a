package io.watchgate.e2e.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.faults.ReceivedError;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ObjectView;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of gateways whose heap is too small for the requested types, with busy types and lagging
 * streams. {@code -Dwatchgate.test.args=-Dseed=N} repeats the writes of a run.
 */
final class SmallHeapsTest {
  private static final String G1 = "-XX:+UseG1GC";
  private static final String SERIAL = "-XX:+UseSerialGC";
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final int SLOW_MILLIS = 300;

  /** Lag policies that notify a client that it has lagged. */
  private static final List<LagPolicy> LAGGING =
      List.of(LagPolicy.LAG_POLICY_RESYNC, LagPolicy.LAG_POLICY_DISCONNECT);

  private final long seed = Long.getLong("seed", new Random().nextLong());
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(2);
  private final List<JudgedStream> readers = new ArrayList<>();
  private final List<JudgedStream> laggards = new ArrayList<>();
  private final List<Busy> types = new ArrayList<>();
  @TempDir private Path folder;
  private GeneratedApiserver apiserver;

  private record Busy(String resource, int objects) {}

  @BeforeEach
  void serve() throws IOException {
    apiserver = new GeneratedApiserver();
  }

  @AfterEach
  void end() {
    leave();
    timer.shutdownNow();
    apiserver.close();
  }

  /** Closes the streams before the gateway ends, so that its end does not count as theirs. */
  private void leave() {
    readers.forEach(JudgedStream::close);
    laggards.forEach(JudgedStream::close);
  }

  private void type(String resource, int objects, int bytes) {
    apiserver.serve(resource, "K" + resource, objects, bytes);
    types.add(new Busy(resource, objects));
  }

  private void nineTypes(int scale) {
    type("pods", 300 * scale, 2_000);
    type("events", 500 * scale, 900);
    type("configmaps", 100 * scale, 2_000);
    type("gateways", 300 * scale, 2_000);
    type("endpoints", 200 * scale, 1_500);
    type("nodes", 10 * scale, 20_000);
    type("leases", 100 * scale, 600);
    type("services", 200 * scale, 1_000);
    type("widgets", 100 * scale, 5_000);
  }

  private JudgedStream read(SmallHeapGateway gateway, String resource) {
    JudgedStream reader =
        JudgedStream.open(
            gateway.connect(),
            timer,
            resource,
            ObjectView.OBJECT_VIEW_METADATA,
            LagPolicy.LAG_POLICY_RESYNC,
            0);
    readers.add(reader);
    return reader;
  }

  /** Opens streams of each policy that read a response at long intervals. */
  private void lag(SmallHeapGateway gateway, String resource) {
    for (LagPolicy policy :
        List.of(
            LagPolicy.LAG_POLICY_RESYNC,
            LagPolicy.LAG_POLICY_CONFLATE,
            LagPolicy.LAG_POLICY_DISCONNECT)) {
      laggards.add(
          JudgedStream.open(
              gateway.connect(),
              timer,
              resource,
              ObjectView.OBJECT_VIEW_FULL,
              policy,
              SLOW_MILLIS));
    }
    for (LagPolicy policy : LAGGING) {
      laggards.add(
          JudgedStream.openLaggard(gateway.connectSlow(), timer, resource, policy, SLOW_MILLIS));
    }
  }

  /** Changes {@code rate} objects per second, of all types. */
  private void write(int rate, Duration duration) {
    Random random = new Random(seed);
    long began = System.nanoTime();
    long[] written = {0};
    await()
        .atMost(duration.plus(LIMIT))
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              long passed = System.nanoTime() - began;
              while (written[0] < passed / 1e9 * rate) {
                Busy type = types.get(random.nextInt(types.size()));
                apiserver.modify(type.resource, random.nextInt(type.objects));
                written[0]++;
              }
              return passed > duration.toNanos();
            });
  }

  private void assertEachEndHasAReason(List<JudgedStream> streams) {
    for (JudgedStream stream : streams) {
      assertThat(stream.wasAnswered())
          .as("%s was answered, seed %d", stream.resource(), seed)
          .isTrue();
      assertThat(stream.violations()).as("%s, seed %d", stream.resource(), seed).isEmpty();
      assertThat(stream.ends())
          .as("how streams of %s ended, seed %d", stream.resource(), seed)
          .allSatisfy(end -> assertThat(end.reason()).isIn("LAGGED", "MEMORY", "QUOTA"))
          .allSatisfy(end -> assertThat(end.action()).isEqualTo("RESUME"));
    }
  }

  private void awaitUpToDate(SmallHeapGateway gateway, JudgedStream reader) {
    await(reader.resource() + ", seed " + seed)
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(
            () -> {
              gateway.assertNeverOutOfMemory(); // shows its log if it has ended
              assertThat(reader.held().equals(apiserver.objects(reader.resource())))
                  .as("%d objects, ended %s", reader.size(), reader.lastEnd())
                  .isTrue();
            });
  }

  /** Waits until streams have lagged, and all were answered, so that they can be judged. */
  private void awaitLag() {
    for (LagPolicy policy : LAGGING) {
      JudgedStream.awaitLag(laggards, policy);
    }
    awaitAnswers();
  }

  private void awaitAnswers() {
    await()
        .atMost(LIMIT)
        .until(
            () ->
                Stream.concat(readers.stream(), laggards.stream())
                    .allMatch(JudgedStream::wasAnswered));
  }

  private static double budget(MetricsText metrics, String part, String kind) {
    return metrics.sum(
        "watchgate_heap_budget_bytes", "part=\"" + part + "\"", "kind=\"" + kind + "\"");
  }

  /** Nine types at once: their histories alone could be 9 x 12 MiB. */
  @Test
  void nineTypes_historyYieldsAndAllAreServed() throws Exception {
    nineTypes(4);
    try (SmallHeapGateway gateway = SmallHeapGateway.start(96, G1, apiserver.kubeconfig(folder))) {
      types.forEach(type -> read(gateway, type.resource));
      types.forEach(type -> lag(gateway, type.resource));

      write(3_000, Duration.ofSeconds(10));

      readers.forEach(reader -> awaitUpToDate(gateway, reader));
      awaitLag();
      gateway.assertNeverOutOfMemory();
      leave();
      assertThat(budget(gateway.metrics(), "history", "used")).isPositive();
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () -> {
                MetricsText metrics = gateway.metrics();
                assertThat(budget(metrics, "all", "used"))
                    .isLessThanOrEqualTo(budget(metrics, "all", "limit") * 1.1);
              });
    }
    assertEachEndHasAReason(readers);
    assertEachEndHasAReason(laggards);
  }

  /** One type of 21 MiB is too large for a heap of 48 MiB; small types are served next to it. */
  @Test
  void tooLargeType_isRefusedAndSmallOnesServed() throws Exception {
    smallBesideLarge(SERIAL);
  }

  @Test
  @Tag("thorough")
  void tooLargeType_withG1_isRefused() throws Exception {
    smallBesideLarge(G1);
  }

  private void smallBesideLarge(String collector) throws Exception {
    type("configmaps", 300, 500);
    type("pods", 10_500, 2_000);
    try (SmallHeapGateway gateway =
        SmallHeapGateway.start(48, collector, apiserver.kubeconfig(folder))) {
      JudgedStream large = read(gateway, "pods");
      await().atMost(LIMIT).until(() -> !large.ends().isEmpty());
      JudgedStream small = read(gateway, "configmaps");
      lag(gateway, "configmaps");

      write(500, Duration.ofSeconds(3));

      awaitUpToDate(gateway, small);
      awaitAnswers();
      assertThat(large.ends())
          .extracting(ReceivedError::reason, ReceivedError::message)
          .first()
          .asString()
          .contains("MEMORY", "the objects of pods need more memory than this gateway has");
      gateway.assertNeverOutOfMemory();
      leave();
      assertThat(gateway.log())
          .anyMatch(line -> line.contains("heap 4") && line.contains("of which at most"))
          .anyMatch(line -> line.contains("pods/v1: all types together need more than"));
    }
    assertEachEndHasAReason(readers);
    assertEachEndHasAReason(laggards);
  }

  /** 68 MB of pods and 41 MB of events, watched by five clients, and both change all the time. */
  @Test
  @Tag("thorough")
  void twoLargeBusyTypes_fit256Megabytes() throws Exception {
    type("pods", 30_000, 1_950);
    type("events", 50_000, 550);
    try (SmallHeapGateway gateway = SmallHeapGateway.start(256, G1, apiserver.kubeconfig(folder))) {
      types.forEach(type -> read(gateway, type.resource));
      types.forEach(type -> lag(gateway, type.resource));

      write(2_500, Duration.ofSeconds(90));

      readers.forEach(reader -> awaitUpToDate(gateway, reader));
      awaitLag();
      gateway.assertNeverOutOfMemory();
      leave();
    }
    assertThat(readers).allSatisfy(reader -> assertThat(reader.ends()).isEmpty());
    assertEachEndHasAReason(laggards);
  }

  /** 55 MB of pods, and then two more types, of which one does not fit. */
  @Test
  @Tag("thorough")
  void threeTypes_with128Megabytes_oneIsRefused() throws Exception {
    type("pods", 24_000, 2_000);
    type("events", 20_000, 900);
    type("configmaps", 9_000, 2_000);
    try (SmallHeapGateway gateway =
        SmallHeapGateway.start(128, SERIAL, apiserver.kubeconfig(folder))) {
      JudgedStream first = read(gateway, "pods");
      await().atMost(LIMIT).until(() -> first.size() == 24_000);
      JudgedStream second = read(gateway, "events");
      JudgedStream third = read(gateway, "configmaps");
      types.forEach(type -> lag(gateway, type.resource));

      write(800, Duration.ofSeconds(60));

      awaitUpToDate(gateway, first);
      awaitLag();
      gateway.assertNeverOutOfMemory();
      leave();
      assertThat(second.ends().size() + third.ends().size()).isPositive();
    }
    assertThat(readers.getFirst().ends()).as("of pods, which were there first").isEmpty();
    assertEachEndHasAReason(readers);
    assertEachEndHasAReason(laggards);
  }

  @ParameterizedTest
  @Tag("thorough")
  @CsvSource({
    "48,1,300," + SERIAL,
    "48,1,300," + G1,
    "128,10,1500," + SERIAL,
    "256,25,2500," + G1,
    "1434,120,5000," + G1
  })
  void nineBusyTypes_fit(int heapMib, int scale, int rate, String collector) throws Exception {
    nineTypes(scale);
    try (SmallHeapGateway gateway =
        SmallHeapGateway.start(heapMib, collector, apiserver.kubeconfig(folder))) {
      types.forEach(type -> read(gateway, type.resource));
      types.forEach(type -> lag(gateway, type.resource));

      write(rate, Duration.ofSeconds(60));

      readers.forEach(reader -> awaitUpToDate(gateway, reader));
      awaitLag();
      gateway.assertNeverOutOfMemory();
      leave();
    }
    assertEachEndHasAReason(readers);
    assertEachEndHasAReason(laggards);
  }
}
