package io.watchgate.bench.compare;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs a row, pair by pair, and says what came of it. */
public final class Comparison {
  private static final int REPETITIONS = 2;

  private final Row row;
  private final Terms terms;
  private final PrintStream err;
  private final List<Map<String, JsonObject>> pairs = new ArrayList<>();
  private int voids;

  /**
   * How it is run.
   *
   * @param pairs how often each side is measured, from 1
   * @param foreignPercent of the machine that other processes may have in a pair that counts
   * @param common further options of {@code bench} for all sides
   */
  public record Terms(int pairs, double foreignPercent, List<String> common) {
    public Terms {
      common = List.copyOf(common);
    }
  }

  /**
   * @param err is told of each measurement
   */
  public Comparison(Row row, Terms terms, PrintStream err) {
    this.row = row;
    this.terms = terms;
    this.err = err;
  }

  /** How it ended. */
  public enum Verdict {
    MET,
    MISSED,
    /** Too few pairs count. */
    VOID
  }

  /**
   * Does it; the text ends with a line break.
   *
   * @param text the table
   */
  public record Result(Verdict verdict, String text) {}

  /**
   * Does it.
   *
   * @throws IOException if a measurement failed, in one line
   */
  public Result run() throws IOException, InterruptedException {
    for (int pair = 1; pair <= terms.pairs(); pair++) {
      for (int attempt = 0; attempt <= REPETITIONS; attempt++) {
        Map<String, JsonObject> measured = measure(pair);
        if (foreign(measured) <= terms.foreignPercent()) {
          pairs.add(measured);
          break;
        }
        err.printf(
            Locale.ROOT,
            "pair %d is void: other processes had %.1f %% of the machine%n",
            pair,
            foreign(measured));
        voids++;
      }
    }
    return result();
  }

  private Map<String, JsonObject> measure(int pair) throws IOException, InterruptedException {
    Map<String, JsonObject> measured = new LinkedHashMap<>();
    for (Side side : row.sides()) {
      JsonObject figures = new Measurement(side, terms.common()).run();
      measured.put(side.name(), figures);
      StringBuilder line = new StringBuilder();
      for (Goal goal : row.goals()) {
        String shown =
            String.format(
                Locale.ROOT, "  %s %,.2f", goal.measure().text(), goal.measure().of(figures));
        if (line.indexOf(shown) < 0) {
          line.append(shown);
        }
      }
      err.printf("pair %d of %d, %s:%s%n", pair, terms.pairs(), side.name(), line);
    }
    return measured;
  }

  private static double foreign(Map<String, JsonObject> measured) {
    return measured.values().stream()
        .mapToDouble(figures -> figures.getAsJsonObject("cpu").get("foreignPercent").getAsDouble())
        .max()
        .orElse(0);
  }

  private Result result() {
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
            row.sides().getFirst().name(),
            "the other",
            "ratio",
            "from - to",
            "goal"));
    boolean met = true;
    for (Goal goal : pairs.isEmpty() ? List.<Goal>of() : row.goals()) {
      double[] first = values(goal.measure(), row.sides().getFirst().name());
      double[] other = values(goal.measure(), goal.against());
      double[] ratios = new double[first.length];
      for (int i = 0; i < ratios.length; i++) {
        ratios[i] = first[i] / other[i];
      }
      Spread spread = Spread.of(ratios);
      met &= goal.isMetBy(spread.median());
      text.append(
          String.format(
              Locale.ROOT,
              "%-28s %-10s %,12.2f %,12.2f %8.3f %8.3f -%7.3f %9s%s%n",
              goal.measure().text(),
              goal.against().isEmpty() ? "itself" : goal.against(),
              Spread.of(first).median(),
              Spread.of(other).median(),
              spread.median(),
              spread.least(),
              spread.most(),
              goal.text(),
              goal.isMetBy(spread.median()) ? "" : "  missed"));
    }
    Verdict verdict =
        pairs.size() < terms.pairs() ? Verdict.VOID : met ? Verdict.MET : Verdict.MISSED;
    return new Result(verdict, text.toString());
  }

  private double[] values(Measure measure, String side) {
    if (side.isEmpty()) {
      return pairs.stream().mapToDouble(pair -> 1).toArray();
    }
    return pairs.stream()
        .map(pair -> pair.get(side))
        .mapToDouble(figures -> figures == null ? Double.NaN : measure.of(figures))
        .toArray();
  }
}
