package io.watchgate.e2e.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.e2e.Repository;
import io.watchgate.e2e.RequiredTool;
import io.watchgate.e2e.Requires;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.OwnApiserver;
import io.watchgate.e2e.apiserver.WithApiserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Test of the alerts with a real Prometheus: gateways that are broken on purpose fire the alerts of
 * their fault and no others. Durations in the rules are divided, see {@link ScaledRules}.
 */
@Tag("thorough") // runs alone, and mostly waits; AlertsTest tests the rules in each build
@WithApiserver
@Requires(RequiredTool.PROMETHEUS)
@Isolated("a busy machine delays what must not be late")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class AlertsFireTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration ALERTS_INTERVAL = Duration.ofMillis(250);
  private static final int STARTS = 4;
  private static final Duration SHOWN = Duration.ofMinutes(10);
  private static final Duration DRAWN = Duration.ofMinutes(1);

  /** Time above which a delivery is late. */
  private static final long LATE_NANOS = Duration.ofSeconds(1).toNanos();

  @TempDir private static Path folder;
  private final List<FaultyGateway> faulty = new ArrayList<>();
  private final Map<String, Set<String>> fired = new ConcurrentHashMap<>();
  private final Set<String> texts = ConcurrentHashMap.newKeySet();
  private final AtomicLong longestWait = new AtomicLong();
  private final Dashboard dashboard = Dashboard.read();
  private final Deque<AutoCloseable> resources = new ConcurrentLinkedDeque<>();
  private FaultyGateway healthy;
  private Prometheus prometheus;

  @BeforeAll
  void start(@OwnApiserver Apiserver apiserver, @OwnApiserver Apiserver stoppable)
      throws Exception {
    AtomicLong last = new AtomicLong(System.nanoTime());
    started(new FaultyGateway("machine"))
        .repeat(
            ALERTS_INTERVAL,
            () -> {
              long now = System.nanoTime();
              longestWait.accumulateAndGet(now - last.getAndSet(now), Math::max);
            });
    FaultEnvironment environment = new FaultEnvironment(apiserver, stoppable, folder);
    started(environment.writer());
    try (ExecutorService starts = Executors.newFixedThreadPool(STARTS)) {
      List<Future<FaultyGateway>> started =
          faults(environment).map(each -> starts.submit(() -> started(each.run()))).toList();
      for (Future<FaultyGateway> each : started) {
        faulty.add(each.get());
      }
    }
    healthy = started(environment.healthy());
    List<Path> rules = new ArrayList<>();
    for (String job : List.of("watchgate", "alone")) {
      for (String file : List.of("rules.yaml", "alerts.yaml")) {
        rules.add(Files.writeString(folder.resolve(job + "-" + file), ScaledRules.of(file, job)));
      }
    }
    prometheus =
        Prometheus.start(
            folder,
            Stream.concat(faulty.stream(), Stream.of(healthy))
                .flatMap(each -> each.targets().stream())
                .toList(),
            rules);
    resources.push(prometheus);
    started(new FaultyGateway("listener"))
        .repeat(ALERTS_INTERVAL, () -> prometheus.firing().forEach(this::fired));
    for (FaultyGateway each : faulty) {
      each.breakIt();
    }
  }

  private static Stream<FaultyGateway.Start> faults(FaultEnvironment environment) {
    return Stream.of(
            new ProcessFaults(environment).all(),
            new UpstreamFaults(environment).all(),
            new ClientFaults(environment).all())
        .flatMap(List::stream);
  }

  private void fired(Prometheus.Series alert) {
    // The alert about a whole job has no labels of a target.
    String namespace = alert.labels().getOrDefault("namespace", "absent");
    String text = alert.annotations().getOrDefault("description", "");
    texts.add(text);
    if (fired.computeIfAbsent(namespace, any -> ConcurrentHashMap.newKeySet()).add(alert.name())) {
      System.out.println(namespace + ": " + alert.name() + ": " + text);
    }
  }

  private FaultyGateway started(FaultyGateway gateway) {
    resources.push(gateway);
    return gateway;
  }

  @AfterAll
  void stop() throws Exception {
    for (AutoCloseable each : resources) {
      each.close();
    }
  }

  private Set<String> firedBy(FaultyGateway gateway) {
    return new TreeSet<>(fired.getOrDefault(gateway.name(), Set.of()));
  }

  List<FaultyGateway> faulty() {
    return faulty;
  }

  @Order(1)
  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("faulty")
  void fault_firesItsAlerts(FaultyGateway gateway) {
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(firedBy(gateway)).containsAll(gateway.expected()));
  }

  @Order(2)
  @Test
  void stoppedApiserver_isStale() {
    FaultyGateway stopped =
        faulty.stream().filter(each -> each.name().equals("apiserver-stopped")).findAny().get();
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(firedBy(stopped)).contains("WatchgateStale"));
  }

  @Order(3)
  @ParameterizedTest(autoCloseArguments = false)
  @MethodSource("faulty")
  void fault_firesNoOtherAlert(FaultyGateway gateway) {
    Set<String> others = firedBy(gateway);
    others.removeAll(gateway.expected());
    others.removeAll(gateway.accompanying());
    others.removeAll(causedByTheMachine());
    assertThat(others).isEmpty();
  }

  @Order(4)
  @Test
  void healthyGateway_firesNone() {
    Set<String> alerts = firedBy(healthy);
    alerts.removeAll(causedByTheMachine());
    assertThat(alerts).isEmpty();
    assertThat(
            prometheus.query(
                "increase(watchgate_events_sent_total{namespace=\"healthy\"}[1m]) > 100"))
        .as("it has users")
        .isNotEmpty();
  }

  /**
   * If the machine did not run this JVM for a second, gateways are rightly late, and answers to
   * scrapes come after their timeout of a second.
   */
  private Set<String> causedByTheMachine() {
    return longestWait.get() > LATE_NANOS
        ? Set.of("WatchgateDeliveryLate", "WatchgateDown")
        : Set.of();
  }

  @Order(5)
  @Test
  void eachAlert_isFiredByAFault() throws IOException {
    Set<String> expected = new TreeSet<>(Set.of("WatchgateStale")); // stoppedApiserver_isStale
    faulty.forEach(each -> expected.addAll(each.expected()));
    assertThat(expected).isEqualTo(AlertsTest.names());
  }

  /** Labels that a series does not have leave gaps in the texts. */
  @Order(6)
  @Test
  void textsOfAlerts_haveTheirValues() {
    assertThat(texts).hasSizeGreaterThanOrEqualTo(fired.size());
    assertThat(texts)
        .allSatisfy(text -> assertThat(text).doesNotContain("<no value>", "{{", "%!", "  "))
        .noneMatch(text -> text.startsWith(" "));
  }

  @Order(7)
  @ParameterizedTest
  @MethodSource("expressions")
  void expressionOfTheDashboard_hasValues(String expression) {
    String filled = dashboard.filled(expression, Map.of());
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(prometheus.queryRange(filled, SHOWN))
                    .as(filled)
                    .anyMatch(
                        series ->
                            Dashboard.each(series.at("/values"))
                                .anyMatch(value -> !value.get(1).asText().equals("NaN"))));
  }

  List<String> expressions() {
    return dashboard.expressions();
  }

  @Order(8)
  @Test
  void dashboard_isDrawn() throws IOException {
    Map<String, String> healthyOnes =
        Map.of("namespace", "healthy|history-short|near-limit|refusing|relisting");
    String svg =
        new DashboardPicture(
                dashboard,
                expression ->
                    prometheus.queryRange(dashboard.filled(expression, healthyOnes), DRAWN))
            .svg();
    assertThat(svg).contains("Delivery lag", "<polyline");
    boolean writes = Boolean.getBoolean("watchgate.dashboard.write");
    Files.writeString(
        (writes ? Repository.root().resolve("docs/assets") : Repository.target("dashboard"))
            .resolve("dashboard.svg"),
        svg);
  }

  /** The other direction is MetricNamesTest. Counters appear with their first event. */
  @Order(9)
  @Test
  void metricsOfGateways_areDocumented_andDocumentedGaugesExist() throws IOException {
    Set<String> documented = MetricNamesTest.documented();
    Set<String> found =
        prometheus.metrics().stream()
            .filter(name -> name.matches("(?:watchgate|jvm|process)_[a-z0-9_]+"))
            .map(name -> MetricNamesTest.family(name, documented))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(documented).containsAll(found);
    assertThat(found).hasSizeGreaterThan(70).containsAll(MetricNamesTest.documentedGauges());
  }
}
