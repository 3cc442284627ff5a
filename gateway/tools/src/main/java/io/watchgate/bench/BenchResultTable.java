package io.watchgate.bench;

import java.util.Formatter;
import java.util.Locale;

/**
 * Benchmark result as text for a person: one line per value, name on the left, value on the right.
 */
public final class BenchResultTable {
  private static final double MIB = 1 << 20;

  private final Formatter out = new Formatter(Locale.ROOT);

  private BenchResultTable() {}

  /** Returns the table with a final line break. */
  public static String text(BenchResult result) {
    BenchResultTable table = new BenchResultTable();
    table.fill(result);
    return table.out.toString();
  }

  private void fill(BenchResult result) {
    double seconds = result.seconds();
    out.format(
        "measured          %.1f s, all synced after %.2f s", seconds, result.opening().streams());
    if (Double.isFinite(result.steadySeconds())) {
      out.format(", steady after %.0f s more", result.steadySeconds());
    }
    out.format("\nwrites            %,d, %,.1f/s\n", result.writes(), result.writes() / seconds);
    out.format(
        "deliveries        %,d, %,.0f/s\n", result.deliveries(), result.deliveries() / seconds);
    out.format(
        "responses         %,d, %.2f changes each\n",
        result.responses(), (double) result.deliveries() / result.responses());
    out.format("received          %.1f MiB/s\n", result.bytes() / MIB / seconds);
    out.format("snapshot objects  %,d\n", result.snapshotObjects());
    BenchResult.Latency latency = result.latency();
    out.format(
        "latency           p50 %s  p90 %s  p99 %s  max %s\n",
        millis(latency.p50()), millis(latency.p90()), millis(latency.p99()), millis(latency.max()));
    BenchResult.Cpu cpu = result.cpu();
    out.format(
        "server CPU        %s a delivery, %s of the machine, its compilers %s\n",
        micros(cpu.serverMicros()), percent(cpu.serverPercent()), percent(cpu.compilerPercent()));
    out.format(
        "bench CPU         %s a delivery, %s a write\n",
        micros(cpu.readerMicros()), micros(cpu.writerMicros()));
    out.format("foreign CPU       %s of the machine\n", percent(cpu.foreignPercent()));
    BenchResult.Memory memory = result.memory();
    out.format(
        "server memory     resident %s (%s in the span), heap %s, direct %s\n",
        mib(memory.residentBytes()),
        growth(memory.residentGrowth()),
        mib(memory.heapBytes()),
        mib(memory.directBytes()));
    out.format("allocated         %s bytes a delivery\n", count(memory.allocatedPerDelivery()));
    if (result.reconnects() > 0) {
      out.format(
          "reconnects        %,d, %.1f/s\n", result.reconnects(), result.reconnects() / seconds);
    }
    BenchResult.Opening opening = result.opening();
    if (Double.isFinite(opening.joining())) {
      String cpuSeconds = String.format(Locale.ROOT, "%.2f s", opening.joiningCpu());
      out.format(
          "joined            %s, %s of server CPU for them\n",
          seconds(opening.joining()), known(opening.joiningCpu(), cpuSeconds));
    }
    if (Double.isFinite(opening.returning())) {
      out.format("came back         %s\n", seconds(opening.returning()));
    }
    out.format("losses            %s\n", losses(result));
  }

  private static String losses(BenchResult result) {
    LossReport losses = result.losses();
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
        result.ends().isEmpty() ? "" : " (" + result.ends() + ")");
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
