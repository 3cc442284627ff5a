package io.watchgate.bench;

import java.util.HashMap;
import java.util.Map;

/** Parser for the process metrics of a page in Prometheus' text format. */
final class MetricsPage {
  private MetricsPage() {}

  static ServerUsage read(String page) {
    Map<String, Double> values = new HashMap<>();
    page.lines()
        .filter(line -> !line.startsWith("#"))
        .forEach(
            line -> {
              int space = line.lastIndexOf(' ');
              if (space > 0) {
                values.merge(
                    line.substring(0, space), number(line.substring(space + 1)), Double::sum);
              }
            });
    return new ServerUsage(
        values.getOrDefault("process_cpu_seconds_total", Double.NaN),
        Double.NaN,
        values.getOrDefault("process_resident_memory_bytes", Double.NaN),
        values.getOrDefault("jvm_memory_used_bytes{area=\"heap\"}", Double.NaN),
        values.getOrDefault("jvm_buffer_pool_used_bytes{pool=\"direct\"}", Double.NaN)
            + values.getOrDefault("watchgate_netty_direct_bytes", 0.0),
        values.getOrDefault("jvm_allocated_bytes_total", Double.NaN));
  }

  private static double number(String text) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }
}
