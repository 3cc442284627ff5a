package io.watchgate.cache;

import java.util.List;

/** Writes down why lists were made. */
record CacheMetricsRecorder(List<String> listedFor) implements CacheMetrics {
  @Override
  public void eventsReceived(int count) {}

  @Override
  public void duplicateDropped() {}

  @Override
  public void revisionsTrimmed(int count) {}

  @Override
  public void waitedForRouter(long nanos) {}

  @Override
  public void probed(String outcome) {}

  @Override
  public void listed(String reason) {
    listedFor.add(reason);
  }

  @Override
  public void watchEnded(String reason) {}
}
