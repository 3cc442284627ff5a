package io.watchgate.e2e;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Response of {@code /metrics}. */
public record MetricsText(String page) {
  /**
   * Returns the sum of a metric over all its lines with {@code labels}; 0 if there is none.
   *
   * @param labels as text of the line: {@code type="pods"}
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

  /** Returns the number of responses of streams that took the lane. */
  public double laneResponses() {
    return sum("watchgate_lane_responses_total", "way=\"lane\"")
        + sum("watchgate_lane_responses_total", "way=\"group\"");
  }
}
