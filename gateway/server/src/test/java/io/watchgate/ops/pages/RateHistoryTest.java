package io.watchgate.ops.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.ApiResource;
import io.watchgate.ops.FanoutCounters;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the rates, with the metrics of the gateway and a clock of the test. */
final class RateHistoryTest {
  private static final ApiResource PODS =
      new ApiResource("", "v1", "pods", "Pod", ApiResource.Scope.NAMESPACED);

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final FanoutCounters counters = new FanoutCounters(registry);
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");
  private final RateHistory history = new RateHistory(registry, () -> now);

  private RateHistory.Sample sampleAfter(Duration time) {
    now = now.plus(time);
    history.sample();
    return history.samples().getLast();
  }

  @Test
  void rates_areDifferencesForEachSecond() {
    counters.sent(PODS, 30, 1_000);
    assertThat(sampleAfter(Duration.ofSeconds(1)).sent()).isEqualTo(30);
    counters.sent(PODS, 10, 1_000);
    assertThat(sampleAfter(Duration.ofSeconds(5)).sent()).isEqualTo(2);
    assertThat(sampleAfter(Duration.ofSeconds(1)).sent()).isZero();
  }

  @Test
  void lag_isThatOfTheResponsesOfTheSecond() {
    for (int i = 0; i < 100; i++) {
      counters.delivered(PODS, Duration.ofSeconds(3).toNanos());
    }
    assertThat(sampleAfter(Duration.ofSeconds(1)).lagSeconds()).isCloseTo(4.96, within(0.01));
    for (int i = 0; i < 100; i++) {
      counters.delivered(PODS, Duration.ofMillis(2).toNanos());
    }
    assertThat(sampleAfter(Duration.ofSeconds(1)).lagSeconds()).isBetween(0.001, 0.0025);
    assertThat(sampleAfter(Duration.ofSeconds(1)).lagSeconds()).isZero();
  }

  @Test
  void clockSetBack_addsNoSample() {
    counters.sent(PODS, 30, 1_000);
    now = now.minusSeconds(10);
    history.sample();
    assertThat(history.samples()).isEmpty();
    assertThat(sampleAfter(Duration.ofSeconds(1)).sent()).isZero();
  }

  @Test
  void samples_areThoseOfFiveMinutes() {
    Instant begun = now;
    for (int i = 0; i < RateHistory.MAX_SAMPLES + 5; i++) {
      sampleAfter(Duration.ofSeconds(1));
    }
    assertThat(history.samples()).hasSize(RateHistory.MAX_SAMPLES);
    assertThat(history.samples().getFirst().time()).isEqualTo(begun.plusSeconds(6));
  }

  @Test
  void otherMetrics_areNotRead() {
    Histogram.builder().name("other_seconds").register(registry).observe(7);
    assertThat(sampleAfter(Duration.ofSeconds(1)).lagSeconds()).isZero();
  }

  /** The module of the page reads the numbers of the attribute, which have no groups of digits. */
  @Test
  void chart_hasPlainNumbersForTheModule() {
    counters.sent(PODS, 12_345, 1_000);
    StringBuilder html = new StringBuilder();
    RateCharts.append(html, List.of(sampleAfter(Duration.ofSeconds(1))));
    assertThat(html).contains("data-values=\"12345.0\"", "<b>12\u202f345</b>");
  }
}
