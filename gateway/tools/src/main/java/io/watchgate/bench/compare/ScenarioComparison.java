package io.watchgate.bench.compare;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Execution of a scenario, pair by pair. */
public final class ScenarioComparison {
  private static final int REPETITIONS = 2;

  private final Scenario scenario;
  private final Terms terms;
  private final PrintStream err;

  /**
   * Parameters of a comparison.
   *
   * @param pairs number of measurements of each contender, from 1
   * @param foreignPercent maximum share of the machine for other processes in a pair that counts
   * @param apiserver a program that serves a kube-apiserver with {@code serve --dir DIR}; empty: a
   *     sandbox
   * @param common further options of {@code bench} for all contenders
   */
  public record Terms(
      int pairs, double foreignPercent, Optional<Path> apiserver, List<String> common) {
    public Terms {
      common = List.copyOf(common);
    }
  }

  /**
   * @param err output for a line per measurement
   */
  public ScenarioComparison(Scenario scenario, Terms terms, PrintStream err) {
    this.scenario = scenario;
    this.terms = terms;
    this.err = err;
  }

  /**
   * Runs the comparison.
   *
   * @throws IOException with a one-line message, if a measurement failed
   */
  public ScenarioReport run() throws IOException, InterruptedException {
    List<Map<String, JsonObject>> pairs = new ArrayList<>();
    int voids = 0;
    for (int pair = 1; pair <= terms.pairs(); pair++) {
      for (int attempt = 0; attempt <= REPETITIONS; attempt++) {
        Map<String, JsonObject> measured = measurePair(pair);
        if (foreignPercent(measured) <= terms.foreignPercent()) {
          pairs.add(measured);
          break;
        }
        err.printf(
            Locale.ROOT,
            "pair %d is void: other processes had %.1f %% of the machine%n",
            pair,
            foreignPercent(measured));
        voids++;
      }
    }
    return new ScenarioReport(scenario, terms.pairs(), pairs, voids);
  }

  private Map<String, JsonObject> measurePair(int pair) throws IOException, InterruptedException {
    Map<String, JsonObject> measured = new LinkedHashMap<>();
    for (Contender contender : scenario.contenders()) {
      if (!contender.isMeasuredIn(pair, terms.pairs())) {
        continue;
      }
      JsonObject result = new Measurement(contender, terms.apiserver(), terms.common()).run();
      measured.put(contender.name(), result);
      StringBuilder line = new StringBuilder();
      scenario.goals().stream()
          .map(Goal::metric)
          .distinct()
          .forEach(
              metric ->
                  line.append(
                      String.format(Locale.ROOT, "  %s %,.2f", metric.text(), metric.of(result))));
      err.printf("pair %d of %d, %s:%s%n", pair, terms.pairs(), contender.name(), line);
    }
    return measured;
  }

  private static double foreignPercent(Map<String, JsonObject> measured) {
    return measured.values().stream()
        .mapToDouble(result -> result.getAsJsonObject("cpu").get("foreignPercent").getAsDouble())
        .max()
        .orElse(0);
  }
}
