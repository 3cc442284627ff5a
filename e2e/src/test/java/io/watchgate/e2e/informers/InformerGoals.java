package io.watchgate.e2e.informers;

/** Goals of the SDK's informer relative to the others in the same run. */
final class InformerGoals {
  private final Goals<InformerMetric, ComparedLibrary> goals;

  private InformerGoals(Goals<InformerMetric, ComparedLibrary> goals) {
    this.goals = goals;
  }

  /**
   * Returns one line for each goal.
   *
   * @param rawBytes size of a pod's JSON
   */
  static String of(Table<InformerMetric, ComparedLibrary> table, double rawBytes) {
    Goals<InformerMetric, ComparedLibrary> goals = new Goals<>(table);
    new InformerGoals(goals).addAll(rawBytes);
    return goals.toString();
  }

  private void addAll(double rawBytes) {
    goals.atMost(
        "raw: heap, raw bytes + 400 B", InformerMetric.HEAP, ComparedLibrary.RAW, rawBytes + 400);
    for (InformerMetric metric :
        new InformerMetric[] {InformerMetric.EVENT, InformerMetric.EVENT_LATER}) {
      goals.atMost(
          "raw: a third of the better's " + metric,
          metric,
          ComparedLibrary.RAW,
          better(metric) / 3);
    }
    goals.atMost(
        "raw: half of the better's time to synced",
        InformerMetric.SYNCED,
        ComparedLibrary.RAW,
        better(InformerMetric.SYNCED) / 2);
    for (InformerMetric metric :
        new InformerMetric[] {
          InformerMetric.SYNCED,
          InformerMetric.HEAP,
          InformerMetric.RESIDENT,
          InformerMetric.EVENT,
          InformerMetric.EVENT_LATER
        }) {
      goals.atMost(
          "decoded: " + metric + ", as fabric8",
          metric,
          ComparedLibrary.TO_FABRIC8,
          goals.median(metric, ComparedLibrary.FABRIC8));
      goals.atMost(
          "decoded: " + metric + ", as client-java",
          metric,
          ComparedLibrary.TO_OFFICIAL,
          goals.median(metric, ComparedLibrary.OFFICIAL));
    }
    goals.atMost("class path, 20 MB", InformerMetric.CLASS_PATH, ComparedLibrary.RAW, 20);
    for (ComparedLibrary side : ComparedLibrary.values()) {
      if (side.isOurs()) {
        goals.atMost("live again within 1 s", InformerMetric.LIVE, side, 1);
        goals.atMost("nothing told twice", InformerMetric.AGAIN, side, 0);
      }
    }
  }

  private double better(InformerMetric metric) {
    return Math.min(
        goals.median(metric, ComparedLibrary.OFFICIAL),
        goals.median(metric, ComparedLibrary.FABRIC8));
  }
}
