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
 * @param wanted number of pairs that must count
 * @param pairs pairs that count: output of {@code bench --json} by name of the contender; a pair
 *     need not have all contenders
 * @param voids number of pairs that did not count
 */
public record ScenarioReport(
    Scenario row, int wanted, List<Map<String, JsonObject>> pairs, int voids) {
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
    if (pairs.size() < wanted) {
      return Verdict.VOID;
    }
    return row.goals().stream().allMatch(goal -> goal.isMetBy(ratio(goal, first()).median()))
        ? Verdict.MET
        : Verdict.MISSED;
  }

  /** Returns the report as text with a final line break. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(row.name()).append(": ").append(row.text()).append('\n');
    text.append(
        String.format(
            Locale.ROOT,
            "%d pairs count, %d were void%n%-28s %-10s %12s %12s %8s %17s %9s%n",
            pairs.size(),
            voids,
            "figure",
            "against",
            first(),
            "the other",
            "ratio",
            "from - to",
            "goal"));
    if (!pairs.isEmpty()) {
      row.goals().forEach(goal -> text.append(line(goal)));
      text.append(howWarm());
      text.append(whatNaiveSays());
    }
    return text.toString();
  }

  /**
   * Returns the number of runs that were steady; all others were measured after the maximum wait.
   */
  private String howWarm() {
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
    List<Map<String, JsonObject>> both = having(first(), goal.against());
    MedianRange spread = ratio(goal, first());
    return String.format(
        Locale.ROOT,
        "%-28s %-10s %,12.2f %,12.2f %8.3f %8.3f -%7.3f %9s%s%n",
        goal.measure().text(),
        goal.against().isEmpty() ? "itself" : goal.against(),
        MedianRange.of(values(both, goal.measure(), first())).median(),
        MedianRange.of(values(both, goal.measure(), goal.against())).median(),
        spread.median(),
        spread.least(),
        spread.most(),
        goal.text(),
        goal.isMetBy(spread.median()) ? "" : "  missed");
  }

  /** Returns a line on naive. A goal that naive meets, too, proves nothing about a gateway. */
  private String whatNaiveSays() {
    if (row.sides().stream().noneMatch(side -> side.name().equals(Contender.NAIVE))) {
      return "";
    }
    StringJoiner meets = new StringJoiner(", ");
    StringJoiner misses = new StringJoiner(", ");
    for (Goal goal : row.goals()) {
      if (goal.isBound() && !goal.against().equals(Contender.NAIVE)) {
        double ratio = ratio(goal, Contender.NAIVE).median();
        if (Double.isNaN(ratio)) {
          return "naive: not measured\n";
        }
        (goal.isMetBy(ratio) ? meets : misses)
            .add(String.format(Locale.ROOT, "%s %.2f", goal.measure().text(), ratio));
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
    all.addProperty("row", row.name());
    all.addProperty("void", voids);
    all.add("pairs", GSON.toJsonTree(pairs));
    return GSON.toJson(all) + "\n";
  }

  private String first() {
    return row.sides().getFirst().name();
  }

  /** Returns the range of the ratios over the pairs in which both contenders were measured. */
  private MedianRange ratio(Goal goal, String side) {
    List<Map<String, JsonObject>> both = having(side, goal.against());
    double[] ratios = values(both, goal.measure(), side);
    double[] others = values(both, goal.measure(), goal.against());
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] /= others[i];
    }
    return MedianRange.of(ratios);
  }

  private List<Map<String, JsonObject>> having(String side, String other) {
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
        row.sides().stream()
            .filter(each -> each.name().equals(side))
            .map(Contender::alone)
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
