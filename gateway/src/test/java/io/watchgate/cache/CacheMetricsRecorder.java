package io.watchgate.cache;

import java.util.List;

/** Recorder of the reasons of lists, and of the outcomes of backfills, proofs and self-checks. */
record CacheMetricsRecorder(List<String> listedFor, List<String> outcomes) implements CacheMetrics {
  @Override
  public void eventsReceived(int count) {}

  @Override
  public void duplicateDropped() {}

  @Override
  public void objectSkipped() {
    outcomes.add("skipped");
  }

  @Override
  public void revisionsTrimmed(int count) {}

  @Override
  public void waitedForRouter(long nanos) {}

  @Override
  public void waitedForHeap(long nanos) {
    outcomes.add("waited for the heap");
  }

  @Override
  public void probed(String outcome) {}

  @Override
  public void backfilled(String outcome) {
    outcomes.add("backfill " + outcome);
  }

  @Override
  public void selfChecked(String outcome) {
    outcomes.add("self-check " + outcome);
  }

  @Override
  public void historyChecked(String outcome) {
    outcomes.add("history " + outcome);
  }

  @Override
  public void listed(String reason) {
    listedFor.add(reason);
  }

  @Override
  public void watchEnded(String reason) {}
}
