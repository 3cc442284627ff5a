package io.watchgate.e2e.bench;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Results of a benchmark, printed as one table with the goal of each figure. */
public final class Figures {
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private final List<String> rows = new ArrayList<>();

  /** Prints progress immediately. */
  public static void progress(String format, Object... arguments) {
    OUT.printf(Locale.ROOT, format + "%n", arguments);
  }

  void add(String what, Percentiles times, String goal) {
    rows.add(
        row(
            what,
            number(times.count()),
            millis(times.median()),
            millis(times.p99()),
            millis(times.most()),
            goal));
  }

  void add(String what, long count, String goal) {
    rows.add(row(what, number(count), "", "", "", goal));
  }

  void print() {
    OUT.print(row("", "number", "p50 ms", "p99 ms", "most ms", "goal"));
    rows.forEach(OUT::print);
  }

  private static String row(Object... cells) {
    return "%-64s %9s %9s %9s %9s  %s%n".formatted(cells);
  }

  static String millis(Duration time) {
    return number(time.toMillis());
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
