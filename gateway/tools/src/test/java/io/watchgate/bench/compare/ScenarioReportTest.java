package io.watchgate.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Report on the measured pairs. */
class ScenarioReportTest {
  private static final Scenario ROW =
      new Scenario(
          "row",
          "a load",
          List.of(
              Contender.gateway("--rate 1"),
              Contender.baseline("--rate 1"),
              Contender.naive("--rate 1")),
          List.of(
              Goal.atMost(1.15, Metric.CPU_PER_DELIVERY, "baseline"),
              Goal.shown(Metric.CPU_PER_DELIVERY, Contender.NAIVE)));

  private static JsonObject cpu(double micros) {
    return JsonParser.parseString("{\"cpu\":{\"serverMicros\":" + micros + "}}").getAsJsonObject();
  }

  private static Map<String, JsonObject> pair(double gateway, double baseline) {
    return Map.of("gateway", cpu(gateway), "baseline", cpu(baseline));
  }

  private static Map<String, JsonObject> pair(double gateway, double baseline, double naive) {
    return Map.of("gateway", cpu(gateway), "baseline", cpu(baseline), Contender.NAIVE, cpu(naive));
  }

  @Test
  void naive_isMeasuredInFirstMiddleAndLastPair() {
    Contender naive = Contender.naive("--rate 1");
    assertThat(List.of(1, 2, 3, 4, 5, 6, 7))
        .filteredOn(pair -> naive.isMeasuredIn(pair, 7))
        .containsExactly(1, 4, 7);
    assertThat(naive.isMeasuredIn(1, 1)).isTrue();
    assertThat(Contender.baseline("--rate 1").isMeasuredIn(2, 7)).isTrue();
    assertThat(Contender.baseline("--rate 1").inThreePairs().isMeasuredIn(2, 7)).isFalse();
  }

  @Test
  void ratioToNaive_usesPairsWithNaiveOnly() {
    ScenarioReport report =
        new ScenarioReport(ROW, 3, List.of(pair(2, 2, 4), pair(3, 2), pair(2, 2, 4)), 0);
    assertThat(report.text().lines())
        .anyMatch(line -> line.matches("server CPU.* naive +2.00 +4.00 +0.500 +0.500 - +0.500.*"));
    assertThat(report.verdict()).isEqualTo(ScenarioReport.Verdict.MET);
  }

  @Test
  void report_listsGoalsThatNaiveMissesAndMeets() {
    Scenario row =
        new Scenario(
            "row",
            "a load",
            ROW.contenders(),
            List.of(
                Goal.atMost(1.15, Metric.CPU_PER_DELIVERY, "baseline"),
                Goal.atMost(4, Metric.CPU_PER_DELIVERY, "baseline"),
                Goal.atMost(0.65, Metric.CPU_PER_DELIVERY, Contender.NAIVE)));
    assertThat(new ScenarioReport(row, 1, List.of(pair(1, 1, 3.27)), 0).text())
        .endsWith(
            "naive misses: server CPU a delivery, µs 3.27;"
                + " would meet: server CPU a delivery, µs 3.27\n");
  }

  @Test
  void scenario_naiveMeetsAllGoals_discriminatesNothing() {
    assertThat(new ScenarioReport(ROW, 1, List.of(pair(1, 1, 1.1)), 0).text())
        .endsWith(
            "naive would meet all goals, the row discriminates nothing:"
                + " server CPU a delivery, µs 1.10\n");
  }

  @Test
  void naive_withVoidPairsOnly_isNotMeasured() {
    assertThat(new ScenarioReport(ROW, 1, List.of(pair(1, 1)), 3).text())
        .endsWith("naive: not measured\n");
  }

  @Test
  void verdict_usesTheMedian() {
    List<Map<String, JsonObject>> pairs = List.of(pair(1, 1), pair(1.2, 1), pair(1.3, 1));
    assertThat(new ScenarioReport(ROW, 3, pairs, 0).verdict())
        .isEqualTo(ScenarioReport.Verdict.MISSED);
    assertThat(new ScenarioReport(ROW, 3, pairs, 0).text()).contains("missed");
  }

  /**
   * Covers the steady runs, because a cost that still changes is not that of a server in
   * production.
   */
  @Test
  void report_countsSteadyRuns() {
    JsonObject steady = cpu(1);
    steady.addProperty("steadySeconds", 20.5);
    JsonObject never = cpu(1);
    never.add("steadySeconds", JsonNull.INSTANCE);
    List<Map<String, JsonObject>> pairs =
        List.of(Map.of("gateway", steady, "baseline", never), pair(1, 1));
    assertThat(new ScenarioReport(ROW, 2, pairs, 0).text())
        .contains("1 of 4 runs were steady before they were measured\n");
  }

  @Test
  void tooFewPairs_verdictIsVoid() {
    assertThat(new ScenarioReport(ROW, 2, List.of(pair(1, 1)), 3).verdict())
        .isEqualTo(ScenarioReport.Verdict.VOID);
    assertThat(new ScenarioReport(ROW, 2, List.of(), 6).text())
        .contains("0 pairs count, 6 were void");
  }

  @Test
  void json_containsAllFiguresOfAllPairs() {
    ScenarioReport report = new ScenarioReport(ROW, 2, List.of(pair(1, 2, 3), pair(4, 5)), 1);
    assertThat(JsonParser.parseString(report.json()))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"row":"row","void":1,"pairs":[
                 {"gateway":{"cpu":{"serverMicros":1.0}},"baseline":{"cpu":{"serverMicros":2.0}},
                  "naive":{"cpu":{"serverMicros":3.0}}},
                 {"gateway":{"cpu":{"serverMicros":4.0}},"baseline":{"cpu":{"serverMicros":5.0}}}]}\
                """));
  }
}
