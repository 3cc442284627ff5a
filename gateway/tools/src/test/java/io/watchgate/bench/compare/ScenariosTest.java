package io.watchgate.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Consistency of the scenarios, and lookup of their metrics. */
class ScenariosTest {
  @SuppressWarnings("unused") // read by JUnit
  private static final Iterable<Scenario> ROWS = Scenarios.ALL;

  @ParameterizedTest
  @FieldSource("ROWS")
  void goals_referToContendersOfTheScenario(Scenario row) {
    assertThat(row.contenders()).isNotEmpty().extracting(Contender::name).doesNotHaveDuplicates();
    assertThat(row.goals()).isNotEmpty();
    for (Goal goal : row.goals()) {
      if (!goal.against().isEmpty()) {
        assertThat(row.contenders().subList(1, row.contenders().size()))
            .extracting(Contender::name)
            .contains(goal.against());
      }
    }
    for (Contender side : row.contenders()) {
      if (!side.subtracted().isEmpty()) {
        assertThat(row.contenders()).extracting(Contender::name).contains(side.subtracted());
      }
    }
  }

  @ParameterizedTest
  @FieldSource("ROWS")
  void contendersOfGoals_areMeasuredInEachPair(Scenario row) {
    for (Contender side : row.contenders()) {
      boolean counts =
          row.goals().stream()
              .anyMatch(goal -> goal.isBound() && goal.against().equals(side.name()));
      boolean isSubtracted =
          row.contenders().stream().anyMatch(other -> other.subtracted().equals(side.name()));
      if (!side.name().equals(Contender.NAIVE) && (counts || isSubtracted)) {
        assertThat(side.isMeasuredIn(2, 7)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @FieldSource("ROWS")
  void asNaive_replacesTheGatewayInEachScenario(Scenario row) {
    Scenario naive = row.asNaive();
    goals_referToContendersOfTheScenario(naive);
    assertThat(naive.contenders())
        .extracting(Contender::server)
        .noneMatch(it -> it.contains("serve"));
    assertThat(naive.contenders().getFirst().server()).containsExactly("baseline", "naive");
    assertThat(naive.contenders())
        .extracting(Contender::load)
        .isSubsetOf(row.contenders().stream().map(Contender::load).toList());
  }

  @Test
  void scenarioNames_areUnique() {
    assertThat(Scenarios.ALL).extracting(Scenario::name).doesNotHaveDuplicates();
    assertThat(Scenarios.find("paced")).isPresent();
    assertThat(Scenarios.find("no such row")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "CPU_PER_DELIVERY, 1.5",
    "CPU, 40",
    "ALLOCATED, 700",
    "RESIDENT, 2",
    "P50, 90",
    "P99, 800",
    "RATE, 25",
    "CHANGES, 2",
    "JOINING, 3",
    "JOINING_CPU, 1.25",
    "RETURNING, 2"
  })
  void metrics_areFoundInBenchOutput(Metric measure, double value) {
    JsonObject figures =
        JsonParser.parseString(
                """
                {"seconds":4,"deliveries":100,"responses":50,
                 "opening":{"joining":3,"joiningCpu":1.25,"returning":2},
                 "latency":{"p50":90,"p99":800},
                 "cpu":{"serverMicros":1.5,"serverPercent":40},
                 "memory":{"allocatedPerDelivery":700,"residentBytes":2097152}}\
                """)
            .getAsJsonObject();
    assertThat(measure.of(figures)).isEqualTo(value);
  }

  @Test
  void costOfWrites_measuredAlone_isSubtracted() {
    // A write costs 500 and a delivery 13.
    JsonObject direct = ofWrites(10, 10_000, 13.5);
    JsonObject writes = ofWrites(20, 20, 513);
    assertThat(Metric.CPU_PER_DELIVERY.without(writes, direct)).isCloseTo(13, within(1e-9));
  }

  @Test
  void machineCpu_measuredAlone_isSubtracted() {
    JsonObject all = JsonParser.parseString("{\"cpu\":{\"serverPercent\":30}}").getAsJsonObject();
    JsonObject alone = JsonParser.parseString("{\"cpu\":{\"serverPercent\":12}}").getAsJsonObject();
    assertThat(Metric.CPU.without(alone, all)).isEqualTo(18);
  }

  private static JsonObject ofWrites(int writes, int deliveries, double micros) {
    return JsonParser.parseString(
            "{\"writes\":%d,\"deliveries\":%d,\"cpu\":{\"serverMicros\":%s}}"
                .formatted(writes, deliveries, micros))
        .getAsJsonObject();
  }

  @Test
  void needsApiserver_onlyForDirectScenario() {
    assertThat(Scenarios.ALL)
        .filteredOn(Scenario::needsApiserver)
        .extracting(Scenario::name)
        .containsOnly("direct");
  }

  @Test
  void unmeasuredMetric_isNaNAndMeetsNoGoal() {
    JsonObject figures =
        JsonParser.parseString("{\"cpu\":{\"serverMicros\":null}}").getAsJsonObject();
    assertThat(Metric.CPU_PER_DELIVERY.of(figures)).isNaN();
    assertThat(Goal.atMost(1, Metric.CPU, "baseline").isMetBy(Double.NaN)).isFalse();
    assertThat(Goal.atLeast(1, Metric.CPU, "baseline").isMetBy(Double.NaN)).isFalse();
  }
}
