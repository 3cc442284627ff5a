package io.watchgate.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Page of all metrics, read from the sources that register them: a metric appears on {@code
 * /metrics} with its first event, so that no running gateway shows all of them.
 */
final class MetricsPage {
  private static final Path OPS = Path.of("../server/src/main/java/io/watchgate/ops");

  /** Topics by the class that registers their metrics, in the order of the page. */
  private static final Map<String, String> TOPICS = new LinkedHashMap<>();

  static {
    TOPICS.put("GatewayGauges", "The gateway");
    TOPICS.put("StreamGauges", "Connections and streams");
    TOPICS.put("FanoutCounters", "Delivery");
    TOPICS.put("FanoutGauges", "Bounds of the delivery");
    TOPICS.put("CacheCounters", "Upstream");
    TOPICS.put("CacheGauges", "State of a type");
    TOPICS.put("HeapGauges", "Heap");
    TOPICS.put("AuthCounters", "Reviews");
    TOPICS.put("AuthGauges", "Callers");
    TOPICS.put("ProxyCounters", "Kubernetes read API");
    TOPICS.put("TlsGauges", "Certificates");
    TOPICS.put("ProcessGauges", "Process");
    TOPICS.put("PauseMonitor", "Pauses");
    TOPICS.put("MetricsExposition", "The page of metrics itself");
  }

  /** A string, also one that is composed of several literals. */
  private static final String TEXT = "\"[^\"]*\"(?:\\s*\\+\\s*\"[^\"]*\")*";

  /** A call of {@code MetricFactory}: name, help and, after a lambda or at once, labels. */
  private static final Pattern CALL =
      Pattern.compile(
          "\\b(counter|gauge|readCounter|readGauge|readGaugePerType|gaugePerType)\\((?:\\s*\\w+,){0,2}"
              + "\\s*\"(\\w+)\",\\s*("
              + TEXT
              + ")((?:,\\s*\"\\w+\")*)");

  private static final Pattern BUILDER =
      Pattern.compile(
          "(Counter|Gauge|Histogram)\\w*\\.builder\\(\\)\\s*\\.name\\(\"(\\w+)\"\\)\\s*\\.help\\(\\s*("
              + TEXT
              + ")\\)(?:\\s*\\.labelNames\\(((?:\"\\w+\",?\\s*)*)\\))?");

  /**
   * Metric as it is on the page.
   *
   * @param name with the suffix of a counter
   */
  record Metric(String name, String kind, String labels, String help) {
    private static Metric of(MatchResult at) {
      boolean isPerType =
          at.group(1).equals("readGaugePerType") || at.group(1).equals("gaugePerType");
      String kind =
          switch (at.group(1)) {
            case "counter", "readCounter", "Counter" -> "counter";
            case "Histogram" -> "histogram";
            default -> "gauge";
          };
      String labels =
          isPerType
              ? "`type`, `version`"
              : literals(at.group(4)).stream()
                  .map(label -> "`" + label + "`")
                  .collect(Collectors.joining(", "));
      return new Metric(
          at.group(2) + (kind.equals("counter") ? "_total" : ""),
          kind,
          labels,
          String.join("", literals(at.group(3))));
    }

    private static List<String> literals(String text) {
      return text == null
          ? List.of()
          : Pattern.compile("\"([^\"]*)\"").matcher(text).results().map(at -> at.group(1)).toList();
    }
  }

  /** A constant of {@code MetricLabels}. */
  private static final Pattern LABEL = Pattern.compile("String (\\w+) =\\s*(\"\\w+\");");

  private MetricsPage() {}

  /** Returns the literals of the names of labels, by the expression that stands for each. */
  private static Map<String, String> labels() throws IOException {
    return LABEL
        .matcher(Files.readString(OPS.resolve("MetricLabels.java")))
        .results()
        .collect(Collectors.toMap(at -> "MetricLabels." + at.group(1), at -> at.group(2)));
  }

  /** Returns the metrics by the class that registers them. */
  static Map<String, List<Metric>> metrics() throws IOException {
    Map<String, List<Metric>> metrics = new TreeMap<>();
    Map<String, String> labels = labels();
    try (var files = Files.list(OPS)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        String source =
            Pattern.compile("MetricLabels\\.\\w+")
                .matcher(Files.readString(file))
                .replaceAll(at -> labels.get(at.group()));
        Map<Integer, Metric> found = new TreeMap<>();
        for (Pattern pattern : List.of(CALL, BUILDER)) {
          Matcher matcher = pattern.matcher(source);
          while (matcher.find()) {
            found.put(matcher.start(), Metric.of(matcher.toMatchResult()));
          }
        }
        if (!found.isEmpty()) {
          metrics.put(
              file.getFileName().toString().replace(".java", ""), new ArrayList<>(found.values()));
        }
      }
    }
    return metrics;
  }

  static ReferencePage page() throws IOException {
    Map<String, List<Metric>> metrics = metrics();
    List<String> lines = new ArrayList<>();
    lines.add(
        """
        The page is `http://127.0.0.1:9443/metrics`, or at the address of `--http-listen`. A counter with labels appears with its first event, any other metric once it has a value. Metrics of a type have the
        label `type`, those of its cache also `version`. `event_loop` is the number of the thread that sends.
        """
            .strip());
    TOPICS.forEach(
        (source, topic) -> {
          lines.add("");
          lines.add("## " + topic);
          lines.add("");
          lines.add("| metric | kind | labels | meaning |");
          lines.add("|---|---|---|---|");
          for (Metric metric : metrics.getOrDefault(source, List.of())) {
            lines.add(
                "| `%s` | %s | %s | %s |"
                    .formatted(
                        metric.name(),
                        metric.kind(),
                        metric.labels(),
                        ReferencePage.cell(metric.help())));
          }
        });
    return new ReferencePage(
        "metrics.md",
        "Metrics",
        "the sources that register the metrics",
        lines,
        "[Monitor a gateway](../how-to/monitor.md), [Limits](limits.md)");
  }

  static List<String> topics() {
    return List.copyOf(TOPICS.keySet());
  }
}
