package io.watchgate.bench.compare;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Result of a scenario.
 *
 * @param requiredPairs number of pairs that must count
 * @param pairs pairs that count: output of {@code bench --json} by name of the contender; a pair
 *     need not have all contenders
 * @param voidPairs number of pairs that did not count
 */
public record ScenarioReport(
    Scenario scenario, int requiredPairs, List<Map<String, JsonObject>> pairs, int voidPairs) {
  private static final Gson GSON = new GsonBuilder().setPrettyPrinting().serializeNulls().create();

  /** Outcome of a scenario. */
  public enum Verdict {
    MET,
    MISSED,
    /** Not enough pairs count. */
    VOID
  }

  public ScenarioReport {
    pairs = List.copyOf(pairs);
  }

  public Verdict verdict() {
    if (pairs.size() < requiredPairs) {
      return Verdict.VOID;
    }
    return scenario.goals().stream()
            .allMatch(goal -> goal.isMetBy(ratio(goal, firstContender()).median()))
        ? Verdict.MET
        : Verdict.MISSED;
  }

  /** Returns the report as text with a final line break. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(scenario.name()).append(": ").append(scenario.text()).append('\n');
    text.append(
        String.format(
            Locale.ROOT,
            "%d pairs count, %d were void%n%-28s %-10s %12s %12s %8s %17s %9s%n",
            pairs.size(),
            voidPairs,
            "figure",
            "against",
            firstContender(),
            "the other",
            "ratio",
            "from - to",
            "goal"));
    if (!pairs.isEmpty()) {
      scenario.goals().forEach(goal -> text.append(line(goal)));
      text.append(steadyRunsLine());
      text.append(naiveLine());
    }
    return text.toString();
  }

  /**
   * Returns the number of runs that were steady; all others were measured after the maximum wait.
   */
  private String steadyRunsLine() {
    List<JsonObject> runs = pairs.stream().flatMap(pair -> pair.values().stream()).toList();
    long steady =
        runs.stream()
            .map(figures -> figures.get("steadySeconds"))
            .filter(seconds -> seconds != null && !seconds.isJsonNull())
            .count();
    return String.format(
        Locale.ROOT, "%d of %d runs were steady before they were measured%n", steady, runs.size());
  }

  private String line(Goal goal) {
    List<Map<String, JsonObject>> both = pairsWith(firstContender(), goal.against());
    MedianRange spread = ratio(goal, firstContender());
    return String.format(
        Locale.ROOT,
        "%-28s %-10s %,12.2f %,12.2f %8.3f %8.3f -%7.3f %9s%s%n",
        goal.metric().text(),
        goal.against().isEmpty() ? "itself" : goal.against(),
        MedianRange.of(values(both, goal.metric(), firstContender())).median(),
        MedianRange.of(values(both, goal.metric(), goal.against())).median(),
        spread.median(),
        spread.min(),
        spread.max(),
        goal.text(),
        goal.isMetBy(spread.median()) ? "" : "  missed");
  }

  /** Returns a line on naive. A goal that naive meets, too, proves nothing about a gateway. */
  private String naiveLine() {
    if (scenario.contenders().stream().noneMatch(side -> side.name().equals(Contender.NAIVE))) {
      return "";
    }
    StringJoiner meets = new StringJoiner(", ");
    StringJoiner misses = new StringJoiner(", ");
    for (Goal goal : scenario.goals()) {
      if (goal.isBound() && !goal.against().equals(Contender.NAIVE)) {
        double ratio = ratio(goal, Contender.NAIVE).median();
        if (Double.isNaN(ratio)) {
          return "naive: not measured\n";
        }
        (goal.isMetBy(ratio) ? meets : misses)
            .add(String.format(Locale.ROOT, "%s %.2f", goal.metric().text(), ratio));
      }
    }
    return (misses.length() == 0
            ? "naive would meet all goals, the row discriminates nothing: " + meets
            : "naive misses: " + misses + (meets.length() == 0 ? "" : "; would meet: " + meets))
        + "\n";
  }

  /** Returns all figures of all pairs that count, as JSON with a final line break. */
  public String json() {
    JsonObject all = new JsonObject();
    all.addProperty("row", scenario.name());
    all.addProperty("void", voidPairs);
    all.add("pairs", GSON.toJsonTree(pairs));
    return GSON.toJson(all) + "\n";
  }

  private String firstContender() {
    return scenario.contenders().getFirst().name();
  }

  /** Returns the range of the ratios over the pairs in which both contenders were measured. */
  private MedianRange ratio(Goal goal, String side) {
    List<Map<String, JsonObject>> both = pairsWith(side, goal.against());
    double[] ratios = values(both, goal.metric(), side);
    double[] others = values(both, goal.metric(), goal.against());
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] /= others[i];
    }
    return MedianRange.of(ratios);
  }

  private List<Map<String, JsonObject>> pairsWith(String side, String other) {
    return pairs.stream()
        .filter(pair -> pair.containsKey(side) && (other.isEmpty() || pair.containsKey(other)))
        .toList();
  }

  /**
   * Returns one value per pair. It is 1 for an unnamed contender, so that a metric itself can be a
   * ratio.
   */
  private double[] values(List<Map<String, JsonObject>> pairs, Metric measure, String side) {
    String less =
        scenario.contenders().stream()
            .filter(each -> each.name().equals(side))
            .map(Contender::subtracted)
            .findFirst()
            .orElse("");
    return pairs.stream()
        .mapToDouble(
            pair -> {
              JsonObject figures = pair.get(side);
              JsonObject alone = pair.get(less);
              return figures == null
                  ? 1
                  : alone == null ? measure.of(figures) : measure.without(alone, figures);
            })
        .toArray();
  }
}
