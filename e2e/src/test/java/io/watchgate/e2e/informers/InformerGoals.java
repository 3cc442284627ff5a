package io.watchgate.e2e.informers;

import io.watchgate.e2e.informers.Table.Metric;
import java.util.Locale;
import java.util.OptionalDouble;

/** Goals of the SDK's informer relative to the others in the same run. */
final class InformerGoals {
  private final Table table;
  private final StringBuilder text = new StringBuilder();

  private InformerGoals(Table table) {
    this.table = table;
  }

  /**
   * Returns one line for each goal.
   *
   * @param rawBytes size of a pod's JSON
   */
  static String of(Table table, double rawBytes) {
    InformerGoals goals = new InformerGoals(table);
    goals.atMost("raw: heap, raw bytes + 400 B", Metric.HEAP, ComparedLibrary.RAW, rawBytes + 400);
    for (Metric metric : new Metric[] {Metric.EVENT, Metric.EVENT_LATER}) {
      goals.atMost(
          "raw: a third of the better's " + metric,
          metric,
          ComparedLibrary.RAW,
          goals.better(metric) / 3);
    }
    goals.atMost(
        "raw: half of the better's time to synced",
        Metric.SYNCED,
        ComparedLibrary.RAW,
        goals.better(Metric.SYNCED) / 2);
    for (Metric metric :
        new Metric[] {
          Metric.SYNCED, Metric.HEAP, Metric.RESIDENT, Metric.EVENT, Metric.EVENT_LATER
        }) {
      goals.atMost(
          "decoded: " + metric + ", as fabric8",
          metric,
          ComparedLibrary.TO_FABRIC8,
          goals.of(metric, ComparedLibrary.FABRIC8));
      goals.atMost(
          "decoded: " + metric + ", as client-java",
          metric,
          ComparedLibrary.TO_OFFICIAL,
          goals.of(metric, ComparedLibrary.OFFICIAL));
    }
    goals.atMost("class path, 20 MB", Metric.CLASS_PATH, ComparedLibrary.RAW, 20);
    for (ComparedLibrary side : ComparedLibrary.values()) {
      if (side.isOurs()) {
        goals.atMost("live again within 1 s", Metric.LIVE, side, 1);
        goals.atMost("nothing told twice", Metric.AGAIN, side, 0);
      }
    }
    return goals.text.toString();
  }

  private double better(Metric metric) {
    return Math.min(of(metric, ComparedLibrary.OFFICIAL), of(metric, ComparedLibrary.FABRIC8));
  }

  private double of(Metric metric, ComparedLibrary side) {
    return table.median(metric, side).orElse(Double.NaN);
  }

  private void atMost(String goal, Metric metric, ComparedLibrary side, double limit) {
    OptionalDouble reached = table.median(metric, side);
    if (reached.isPresent() && !Double.isNaN(limit)) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-7s %s: %s: %,.2f, at most %,.2f%n",
              reached.getAsDouble() <= limit ? "reached" : "MISSED",
              side,
              goal,
              reached.getAsDouble(),
              limit));
    }
  }
}
