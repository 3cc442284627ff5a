package io.watchgate.e2e.informers;

import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Goals of a benchmark, each with the figure that was measured for it: a line each as text.
 *
 * @param <M> rows of the table
 * @param <C> columns of the table
 */
public final class Goals<M extends Enum<M> & Metric, C> {
  private final Table<M, C> table;
  private final StringBuilder text = new StringBuilder();

  /** Makes an empty list of the goals of a table. */
  public Goals(Table<M, C> table) {
    this.table = table;
  }

  /** Returns the median of a cell, NaN without figures. */
  public double median(M metric, C column) {
    return table.median(metric, column).orElse(Double.NaN);
  }

  /** Adds a goal, unless it cannot be judged: there is no figure, or the limit is NaN. */
  public void atMost(String goal, M metric, C column, double limit) {
    OptionalDouble measured = table.median(metric, column);
    if (measured.isPresent() && !Double.isNaN(limit)) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-7s %s: %s: %,.2f, at most %,.2f%n",
              measured.getAsDouble() <= limit ? "reached" : "MISSED",
              column,
              goal,
              measured.getAsDouble(),
              limit));
    }
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
