package io.watchgate.e2e.ops;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * SVG picture of the dashboard with values of a real Prometheus: rows, titles, axes and lines, but
 * not Grafana's own look. It has no font and no script, and follows the reader's choice of a light
 * or dark page.
 *
 * @param values answers an expression with its series over time
 */
record DashboardPicture(Dashboard dashboard, Function<String, List<JsonNode>> values) {
  private static final int COLUMN = 44;
  private static final int LINE = 22;
  private static final int GAP = 10;
  private static final int COLORS = 6;
  private static final int MAX_LEGEND = 3;
  private static final int MORE = 24;
  private static final int MAX_LEGEND_TEXT = 15;

  private static final String STYLE =
      """
      <style>
        .page { fill: #f6f8fa } .panel { fill: #ffffff; stroke: #d0d7de } .axis { stroke: #d0d7de }
        text { font: 12px system-ui, sans-serif; fill: #1f2328 }
        .row { font-weight: 600; font-size: 15px } .title { font-weight: 600 }
        .small { font-size: 10px; fill: #57606a }
        polyline { fill: none; stroke-width: 1.5 }
        .c0 { stroke: #0969da } .c1 { stroke: #bc4c00 } .c2 { stroke: #1a7f37 }
        .c3 { stroke: #8250df } .c4 { stroke: #bf3989 } .c5 { stroke: #57606a }
        @media (prefers-color-scheme: dark) {
          .page { fill: #010409 } .panel { fill: #0d1117; stroke: #30363d } .axis { stroke: #30363d }
          text { fill: #e6edf3 } .small { fill: #8d96a0 }
          .c0 { stroke: #4493f8 } .c1 { stroke: #db6d28 } .c2 { stroke: #3fb950 }
          .c3 { stroke: #ab7df8 } .c4 { stroke: #db61a2 } .c5 { stroke: #9198a1 }
        }
      </style>
      """;

  /** Line of a panel. Values are those that are numbers, with their times in seconds. */
  private record Curve(String legend, List<double[]> points) {}

  String svg() {
    StringBuilder svg = new StringBuilder();
    int height = 0;
    for (JsonNode panel : Dashboard.each(dashboard.json().at("/panels")).toList()) {
      JsonNode at = panel.at("/gridPos");
      height = Math.max(height, (at.get("y").intValue() + at.get("h").intValue()) * LINE);
      if (panel.at("/type").asText().equals("row")) {
        text(
            svg,
            "row",
            at.get("x").intValue() * COLUMN + GAP,
            at.get("y").intValue() * LINE + 16,
            panel.at("/title").asText());
      } else {
        panel(svg, panel);
      }
    }
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n%s"
            .formatted(24 * COLUMN, height + GAP, STYLE)
        + "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"
        + svg
        + "</svg>\n";
  }

  private void panel(StringBuilder svg, JsonNode panel) {
    JsonNode at = panel.at("/gridPos");
    int x = at.get("x").intValue() * COLUMN + GAP / 2;
    int y = at.get("y").intValue() * LINE + GAP / 2;
    int width = at.get("w").intValue() * COLUMN - GAP;
    int height = at.get("h").intValue() * LINE - GAP;
    svg.append(
        "<rect class=\"panel\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"/>\n"
            .formatted(x, y, width, height));
    text(svg, "title", x + GAP, y + 18, panel.at("/title").asText());
    List<Curve> curves = curves(panel);
    if (curves.isEmpty()) {
      text(svg, "small", x + GAP, y + 40, "no event yet");
      return;
    }
    double max = 0;
    double first = Double.MAX_VALUE;
    double last = 0;
    for (Curve curve : curves) {
      for (double[] point : curve.points) {
        max = Math.max(max, point[1]);
        first = Math.min(first, point[0]);
        last = Math.max(last, point[0]);
      }
    }
    int left = x + 56;
    int right = x + width - GAP;
    int top = y + 30;
    int bottom = y + height - 26;
    String unit = panel.at("/fieldConfig/defaults/unit").asText();
    for (int line = 0; line <= 2; line++) {
      int level = bottom - (bottom - top) * line / 2;
      svg.append(
          "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n"
              .formatted(left, right, level, level));
      text(svg, "small", x + GAP, level + 4, shown(max * line / 2, unit));
    }
    for (int i = 0; i < curves.size(); i++) {
      svg.append("<polyline class=\"c%d\" points=\"".formatted(i % COLORS));
      for (double[] point : curves.get(i).points) {
        svg.append(
            "%.0f,%.0f "
                .formatted(
                    left + (right - left) * (point[0] - first) / Math.max(1, last - first),
                    bottom - (bottom - top) * point[1] / (max == 0 ? 1 : max)));
      }
      svg.append("\"/>\n");
    }
    legend(svg, curves, x + GAP, y + height - 10, (width - 2 * GAP - MORE) / MAX_LEGEND);
  }

  private static void legend(StringBuilder svg, List<Curve> curves, int x, int y, int step) {
    for (int i = 0; i < Math.min(MAX_LEGEND, curves.size()); i++) {
      svg.append(
          "<line class=\"c%d\" stroke-width=\"3\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n"
              .formatted(i % COLORS, x + i * step, x + i * step + 8, y - 3, y - 3));
      String legend = curves.get(i).legend;
      text(
          svg,
          "small",
          x + i * step + 12,
          y,
          legend.substring(0, Math.min(MAX_LEGEND_TEXT, legend.length())));
    }
    if (curves.size() > MAX_LEGEND) {
      text(svg, "small", x + MAX_LEGEND * step, y, "+ " + (curves.size() - MAX_LEGEND));
    }
  }

  private List<Curve> curves(JsonNode panel) {
    List<Curve> curves = new ArrayList<>();
    for (JsonNode target : Dashboard.each(panel.at("/targets")).toList()) {
      for (JsonNode series : values.apply(target.at("/expr").asText())) {
        String legend = target.at("/legendFormat").asText();
        for (Map.Entry<String, JsonNode> label : series.at("/metric").properties()) {
          legend = legend.replace("{{" + label.getKey() + "}}", label.getValue().asText());
        }
        List<double[]> points =
            Dashboard.each(series.at("/values"))
                .filter(value -> !value.get(1).asText().equals("NaN"))
                .map(value -> new double[] {value.get(0).asDouble(), value.get(1).asDouble()})
                .toList();
        if (!points.isEmpty()) {
          curves.add(new Curve(legend, points));
        }
      }
    }
    return curves;
  }

  /** Returns a value with its unit, short. */
  private static String shown(double value, String unit) {
    return switch (unit) {
      case "percentunit" -> "%.0f %%".formatted(value * 100);
      case "s" -> value < 1 ? "%.0f ms".formatted(value * 1000) : "%.0f s".formatted(value);
      case "ops" -> scaled(value) + "/s";
      case "bytes" -> scaled(value) + "B";
      case "Bps" -> scaled(value) + "B/s";
      default -> scaled(value).strip();
    };
  }

  private static String scaled(double value) {
    return value >= 1e6
        ? "%.0f M".formatted(value / 1e6)
        : value >= 1e3 ? "%.0f k".formatted(value / 1e3) : "%s ".formatted(plain(value));
  }

  private static String plain(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.1f" : "%.0f", value);
  }

  private static void text(StringBuilder svg, String style, int x, int y, String text) {
    svg.append(
        "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n"
            .formatted(style, x, y, text.replace("&", "&amp;").replace("<", "&lt;")));
  }
}
