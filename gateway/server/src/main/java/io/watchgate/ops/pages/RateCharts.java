package io.watchgate.ops.pages;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Charts of the rates of the last minutes, as SVG. The values are in an attribute, too: the module
 * of the page appends those of each further second.
 */
final class RateCharts {
  /** Height in units of the charts, of which a sample is one wide. */
  private static final int HEIGHT = 100;

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
    int first = RateHistory.MAX_SAMPLES - values.size();
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      points.append(first + i).append(',');
      points.append(Math.round((HEIGHT - values.get(i) * scale) * 10) / 10.0).append(' ');
    }
    String name = HtmlPage.escaped(title);
    html.append("<figure data-chart=\"").append(value).append("\" data-values=\"");
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
    html.append("<polyline points=\"").append(points.toString().strip());
    html.append("\"/></svg></figure>\n");
  }
}
