package io.watchgate.ops.pages;

import java.time.Duration;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Charts of the rates of the last minutes, as SVG. The samples are in attributes, too: the module
 * of the page appends those of each further second. A time without samples is a gap in the line.
 */
final class RateCharts {
  /** Height in units of the charts, of which a second is one wide. */
  private static final int HEIGHT = 100;

  /** Longest time between two samples that a line connects. */
  private static final double MAX_STEP_SECONDS = 3;

  private RateCharts() {}

  /**
   * @param samples the oldest first
   */
  static void append(StringBuilder html, List<RateHistory.Sample> samples) {
    html.append("<div class=\"charts\">\n");
    appendChart(
        html, "Events sent per second", "sentPerSecond", samples, s -> Math.round(s.sent()));
    appendChart(
        html,
        "Lag of deliveries, p99, in milliseconds",
        "lagP99Millis",
        samples,
        s -> Math.round(s.lagSeconds() * 1e4) / 10.0);
    html.append("</div>\n<p><a href=\"/debug/rates\">The same as a table</a></p>\n");
  }

  /** Appends a chart, whose newest value is at the right. */
  private static void appendChart(
      StringBuilder html,
      String title,
      String value,
      List<RateHistory.Sample> samples,
      ToDoubleFunction<RateHistory.Sample> toValue) {
    List<Double> values = samples.stream().map(toValue::applyAsDouble).toList();
    double most = values.stream().mapToDouble(each -> each).max().orElse(0);
    double scale = most > 0 ? HEIGHT / most : 0;
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      boolean isFirst = i == 0 || secondsBetween(samples, i - 1, i) > MAX_STEP_SECONDS;
      line.append(isFirst ? 'M' : 'L');
      double age = secondsBetween(samples, i, values.size() - 1);
      line.append(rounded(RateHistory.MAX_SAMPLES - 1 - age)).append(',');
      line.append(rounded(HEIGHT - values.get(i) * scale));
    }
    String name = HtmlPage.escaped(title);
    html.append("<figure data-chart=\"").append(value).append("\" data-times=\"");
    html.append(
        samples.stream()
            .map(sample -> Long.toString(sample.time().toEpochMilli()))
            .collect(Collectors.joining(" ")));
    html.append("\" data-values=\"");
    html.append(values.stream().map(Object::toString).collect(Collectors.joining(" ")));
    html.append("\"><figcaption>").append(name);
    html.append(" <b>")
        .append(values.isEmpty() ? "-" : HtmlPage.number(values.getLast()))
        .append("</b>");
    html.append(" <span class=\"most\">most in five minutes <b>").append(HtmlPage.number(most));
    html.append("</b></span></figcaption>\n<svg role=\"img\" aria-label=\"").append(name);
    html.append(
        ", the last five minutes\" viewBox=\"0 -2 %d %d\" preserveAspectRatio=\"none\">"
            .formatted(RateHistory.MAX_SAMPLES - 1, HEIGHT + 4));
    html.append("<path d=\"").append(line).append("\"/></svg></figure>\n");
  }

  private static double secondsBetween(List<RateHistory.Sample> samples, int from, int to) {
    return Duration.between(samples.get(from).time(), samples.get(to).time()).toMillis() / 1e3;
  }

  private static double rounded(double value) {
    return Math.round(value * 10) / 10.0;
  }
}
