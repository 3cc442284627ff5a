package io.watchgate.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Benchmark result as text for a person: one line per value, name on the left, value on the right.
 */
public final class BenchResultTable {
  private static final double MIB = 1 << 20;

  private final List<String> lines = new ArrayList<>();

  private BenchResultTable() {}

  /** Returns the table with a final line break. */
  public static String text(BenchResult figures) {
    BenchResultTable table = new BenchResultTable();
    table.fill(figures);
    return String.join("\n", table.lines) + "\n";
  }

  private void fill(BenchResult figures) {
    double seconds = figures.seconds();
    line(
        "measured",
        String.format(
            Locale.ROOT,
            "%.1f s, all synced after %.2f s%s",
            seconds,
            figures.opening().streams(),
            Double.isFinite(figures.steadySeconds())
                ? String.format(Locale.ROOT, ", steady after %.0f s more", figures.steadySeconds())
                : ""));
    line(
        "writes",
        String.format(Locale.ROOT, "%,d, %,.1f/s", figures.writes(), figures.writes() / seconds));
    line(
        "deliveries",
        String.format(
            Locale.ROOT, "%,d, %,.0f/s", figures.deliveries(), figures.deliveries() / seconds));
    line(
        "responses",
        String.format(
            Locale.ROOT,
            "%,d, %.2f changes each",
            figures.responses(),
            (double) figures.deliveries() / figures.responses()));
    line("received", String.format(Locale.ROOT, "%.1f MiB/s", figures.bytes() / MIB / seconds));
    line("snapshot objects", String.format(Locale.ROOT, "%,d", figures.snapshotObjects()));
    BenchResult.Latency latency = figures.latency();
    line(
        "latency",
        String.format(
            Locale.ROOT,
            "p50 %s  p90 %s  p99 %s  max %s",
            millis(latency.p50()),
            millis(latency.p90()),
            millis(latency.p99()),
            millis(latency.max())));
    BenchResult.Cpu cpu = figures.cpu();
    line(
        "server CPU",
        String.format(
            Locale.ROOT,
            "%s a delivery, %s of the machine, its compilers %s",
            micros(cpu.serverMicros()),
            percent(cpu.serverPercent()),
            percent(cpu.compilerPercent())));
    line(
        "bench CPU",
        String.format(
            Locale.ROOT,
            "%s a delivery, %s a write",
            micros(cpu.readerMicros()),
            micros(cpu.writerMicros())));
    line(
        "foreign CPU",
        String.format(Locale.ROOT, "%s of the machine", percent(cpu.foreignPercent())));
    BenchResult.Memory memory = figures.memory();
    line(
        "server memory",
        String.format(
            Locale.ROOT,
            "resident %s (%s in the span), heap %s, direct %s",
            mib(memory.residentBytes()),
            growth(memory.residentGrowth()),
            mib(memory.heapBytes()),
            mib(memory.directBytes())));
    line(
        "allocated",
        String.format(Locale.ROOT, "%s bytes a delivery", count(memory.allocatedPerDelivery())));
    if (figures.reconnects() > 0) {
      line(
          "reconnects",
          String.format(
              Locale.ROOT, "%,d, %.1f/s", figures.reconnects(), figures.reconnects() / seconds));
    }
    if (Double.isFinite(figures.opening().joining())) {
      line(
          "joined",
          String.format(
              Locale.ROOT,
              "%s, %s of server CPU for them",
              seconds(figures.opening().joining()),
              known(
                  figures.opening().joiningCpu(),
                  String.format(Locale.ROOT, "%.2f s", figures.opening().joiningCpu()))));
    }
    if (Double.isFinite(figures.opening().returning())) {
      line("came back", seconds(figures.opening().returning()));
    }
    line("losses", losses(figures));
  }

  private static String losses(BenchResult figures) {
    LossReport losses = figures.losses();
    if (losses.isNone()) {
      return "none";
    }
    return String.format(
        Locale.ROOT,
        "missing %,d, repeated %,d, unexpected %,d, incomplete snapshots %,d, replaced %,d,"
            + " ended streams %,d%s",
        losses.missing(),
        losses.repeated(),
        losses.unexpected(),
        losses.incomplete(),
        losses.replaced(),
        losses.ended(),
        figures.ends().isEmpty() ? "" : " (" + figures.ends() + ")");
  }

  private void line(String name, String value) {
    lines.add("%-18s".formatted(name) + value);
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "all after %.3f s", seconds);
  }

  private static String millis(double micros) {
    return known(micros, String.format(Locale.ROOT, "%.2f ms", micros / 1e3));
  }

  private static String micros(double micros) {
    return known(micros, String.format(Locale.ROOT, "%.2f µs", micros));
  }

  private static String percent(double percent) {
    return known(percent, String.format(Locale.ROOT, "%.1f %%", percent));
  }

  private static String mib(double bytes) {
    return known(bytes, String.format(Locale.ROOT, "%.1f MiB", bytes / MIB));
  }

  private static String growth(double bytes) {
    return known(bytes, String.format(Locale.ROOT, "%+.1f MiB", bytes / MIB));
  }

  private static String count(double count) {
    return known(count, String.format(Locale.ROOT, "%,.0f", count));
  }

  private static String known(double value, String text) {
    return Double.isFinite(value) ? text : "-";
  }
}
