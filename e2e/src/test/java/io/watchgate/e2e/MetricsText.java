package io.watchgate.e2e;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A page of metrics. */
public record MetricsText(String page) {
  /**
   * The sum of a metric over all its lines that have {@code labels}; 0 if there is none.
   *
   * @param labels as they stand: {@code type="pods"}
   */
  public double sum(String name, String... labels) {
    Matcher lines =
        Pattern.compile("^" + name + "(?:\\{(.*)})? (\\S+)$", Pattern.MULTILINE).matcher(page);
    double sum = 0;
    while (lines.find()) {
      String found = String.valueOf(lines.group(1));
      if (List.of(labels).stream().allMatch(found::contains)) {
        sum += Double.parseDouble(lines.group(2));
      }
    }
    return sum;
  }
}
