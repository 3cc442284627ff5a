package io.watchgate.e2e.informers;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** Table of results: figures of each library in each round, and texts. */
final class Table {
  private final Map<Metric, Map<ComparedLibrary, List<Double>>> figures =
      new EnumMap<>(Metric.class);
  private final Map<String, Map<ComparedLibrary, String>> words = new LinkedHashMap<>();

  /** Row of figures. */
  enum Metric {
    SYNCED("JVM start to synced, s", 2),
    SYNCED_CPU("CPU until then, s", 2),
    SYNCED_GATEWAY("CPU of the gateway meanwhile, s", 2),
    HEAP("live heap per cached pod, B", 0),
    HEAP_FIXED("live heap of the client without pods, MB", 1),
    RESIDENT("peak resident until synced, MiB", 0),
    EVENT("CPU per event, second 20 s, µs", 0),
    EVENT_LATER("CPU per event, second minute, µs", 0),
    EVENT_GATEWAY("CPU of the gateway per event, µs", 0),
    JARS("class path, jars", 0),
    CLASS_PATH("class path, MB", 1),
    LIVE("live again after a cut of 5 s, s", 2),
    AGAIN("events of pods that did not change, a cut", 0);

    private final String title;
    private final int digits;

    Metric(String title, int digits) {
      this.title = title;
      this.digits = digits;
    }

    @Override
    public String toString() {
      return title;
    }
  }

  void add(Metric metric, ComparedLibrary side, double figure) {
    figures
        .computeIfAbsent(metric, _ -> new EnumMap<>(ComparedLibrary.class))
        .computeIfAbsent(side, _ -> new ArrayList<>())
        .add(figure);
  }

  /** Sets the text of a cell; a later text replaces an earlier one. */
  void say(String row, ComparedLibrary side, String word) {
    words.computeIfAbsent(row, _ -> new EnumMap<>(ComparedLibrary.class)).put(side, word);
  }

  /** Returns the median over the rounds, or over several values of each round. */
  OptionalDouble median(Metric metric, ComparedLibrary side) {
    List<Double> all =
        figures.getOrDefault(metric, Map.of()).getOrDefault(side, List.of()).stream()
            .sorted()
            .toList();
    return all.isEmpty()
        ? OptionalDouble.empty()
        : OptionalDouble.of((all.get((all.size() - 1) / 2) + all.get(all.size() / 2)) / 2);
  }

  /** Returns the table in Markdown: medians, each with minimum and maximum. */
  String markdown() {
    StringBuilder text = new StringBuilder();
    List<ComparedLibrary> sides = List.of(ComparedLibrary.values());
    text.append(row("", sides.stream().map(ComparedLibrary::toString).toList()));
    text.append(row("---", sides.stream().map(side -> "---").toList()));
    for (Map.Entry<Metric, Map<ComparedLibrary, List<Double>>> figure : figures.entrySet()) {
      text.append(
          row(
              figure.getKey().title,
              sides.stream().map(side -> cell(figure.getKey(), side)).toList()));
    }
    for (Map.Entry<String, Map<ComparedLibrary, String>> word : words.entrySet()) {
      text.append(
          row(
              word.getKey(),
              sides.stream().map(side -> word.getValue().getOrDefault(side, "–")).toList()));
    }
    return text.toString();
  }

  private String cell(Metric metric, ComparedLibrary side) {
    OptionalDouble median = median(metric, side);
    if (median.isEmpty()) {
      return "–";
    }
    List<Double> all = figures.getOrDefault(metric, Map.of()).getOrDefault(side, List.of());
    String format = "%,." + metric.digits + "f";
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
