package io.watchgate.e2e.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.e2e.MetricsText;

/**
 * Resource usage of a gateway at one moment.
 *
 * @param bytes held for streams and snapshots
 */
record ResourceUsage(
    double streams, double feeds, double bytes, double history, double threads, double files) {
  /**
   * Tolerated increase: connections and helper threads of libraries vary. A leak grows with each
   * fault.
   */
  private static final double MORE_THREADS = 8;

  private static final double MORE_FILES = 6;

  /**
   * Upper bound for both types: history, and the revisions kept for the lagging router, which
   * remain until the next change.
   */
  private static final double HISTORY_BYTES = 2.0 * ((512 << 10) + (16 << 20));

  static final ResourceUsage NONE = new ResourceUsage(0, 0, 0, 0, 0, 0);

  static ResourceUsage of(MetricsText metrics) {
    return new ResourceUsage(
        metrics.sum("watchgate_stream_slots"),
        metrics.sum("watchgate_feeds"),
        metrics.sum("watchgate_outbound_bytes")
            + metrics.sum("watchgate_snapshot_bytes")
            + metrics.sum("watchgate_incomplete_request_bytes"),
        metrics.sum("watchgate_history_bytes"),
        metrics.sum("jvm_threads_current"),
        metrics.sum("process_open_fds"));
  }

  void assertNoStreams() {
    assertThat(streams).as("streams").isZero();
    assertThat(feeds).as("feeds").isZero();
    assertThat(bytes).as("bytes for streams").isZero();
    assertThat(history).as("bytes of history").isLessThanOrEqualTo(HISTORY_BYTES);
  }

  void assertNoMoreThan(ResourceUsage before) {
    assertThat(threads)
        .as("threads")
        .isPositive()
        .isLessThanOrEqualTo(before.threads + MORE_THREADS);
    assertThat(files).as("descriptors").isPositive().isLessThanOrEqualTo(before.files + MORE_FILES);
  }
}
