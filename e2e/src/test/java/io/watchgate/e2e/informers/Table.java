package io.watchgate.e2e.informers;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * Table of results: figures of each column in each round, and texts.
 *
 * @param <M> rows of figures
 * @param <C> columns; their texts are the titles
 */
public final class Table<M extends Enum<M> & Metric, C> {
  private final List<C> columns;
  private final Map<M, Map<C, List<Double>>> figures;
  private final Map<String, Map<C, String>> words = new LinkedHashMap<>();

  /** Makes an empty table. */
  public Table(Class<M> metrics, List<C> columns) {
    this.columns = List.copyOf(columns);
    this.figures = new EnumMap<>(metrics);
  }

  /** Adds a figure of a round. */
  public void add(M metric, C column, double figure) {
    figures
        .computeIfAbsent(metric, _ -> new HashMap<>())
        .computeIfAbsent(column, _ -> new ArrayList<>())
        .add(figure);
  }

  /** Sets the text of a cell; a later text replaces an earlier one. */
  void say(String row, C column, String word) {
    words.computeIfAbsent(row, _ -> new HashMap<>()).put(column, word);
  }

  /** Returns the median over the rounds, or over several values of each round. */
  public OptionalDouble median(M metric, C column) {
    List<Double> all = all(metric, column).stream().sorted().toList();
    return all.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of((all.get((all.size() - 1) / 2) + all.get(all.size() / 2)) / 2);
  }

  private List<Double> all(M metric, C column) {
    return figures.getOrDefault(metric, Map.of()).getOrDefault(column, List.of());
  }

  /** Returns the table in Markdown: medians, each with minimum and maximum. */
  public String markdown() {
    StringBuilder text = new StringBuilder();
    text.append(row("", columns.stream().map(Object::toString).toList()));
    text.append(row("---", columns.stream().map(column -> "---").toList()));
    for (M metric : figures.keySet()) {
      text.append(
          row(metric.toString(), columns.stream().map(column -> cell(metric, column)).toList()));
    }
    for (Map.Entry<String, Map<C, String>> word : words.entrySet()) {
      text.append(
          row(
              word.getKey(),
              columns.stream().map(column -> word.getValue().getOrDefault(column, "–")).toList()));
    }
    return text.toString();
  }

  private String cell(M metric, C column) {
    OptionalDouble median = median(metric, column);
    if (median.isEmpty()) {
      return "–";
    }
    List<Double> all = all(metric, column);
    String format = "%,." + metric.digits() + "f";
    String middle = String.format(Locale.ROOT, format, median.getAsDouble());
    String least =
        String.format(Locale.ROOT, format, all.stream().mapToDouble(d -> d).min().orElse(0));
    String most =
        String.format(Locale.ROOT, format, all.stream().mapToDouble(d -> d).max().orElse(0));
    return least.equals(most) ? middle : "%s (%s–%s)".formatted(middle, least, most);
  }

  private static String row(String title, List<String> cells) {
    return cells.stream().collect(Collectors.joining(" | ", "| " + title + " | ", " |\n"));
  }
}
