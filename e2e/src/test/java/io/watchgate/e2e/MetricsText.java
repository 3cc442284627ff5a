package io.watchgate.e2e;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What {@code /metrics} answers. */
public record MetricsText(String page) {
  /**
   * The sum of a metric over all its lines that have {@code labels}; 0 if there is none.
   *
   * @param labels as they stand: {@code type="pods"}
   */
  public double sum(String name, String... labels) {
    Matcher lines =
        Pattern.compile("^" + Pattern.quote(name) + "(?:\\{(.*)})? (\\S+)$", Pattern.MULTILINE)
            .matcher(page);
    double sum = 0;
    while (lines.find()) {
      String found = String.valueOf(lines.group(1));
      if (Stream.of(labels).allMatch(found::contains)) {
        sum += Double.parseDouble(lines.group(2));
      }
    }
    return sum;
  }
}
