package io.watchgate.e2e.bench;

import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.promises.GatewayProcess;
import java.io.IOException;

/** Counters of a replica's requests to the apiserver, and of its refusals to subscribers. */
record UpstreamRequests(long lists, long backfills, long probes, long watches, long refusals) {
  static UpstreamRequests of(GatewayProcess gateway) throws IOException, InterruptedException {
    MetricsText metrics = gateway.metrics();
    return new UpstreamRequests(
        (long) metrics.sum("watchgate_lists_total"),
        (long) metrics.sum("watchgate_backfills_total"),
        (long) metrics.sum("watchgate_probes_total"),
        (long) metrics.sum("watchgate_watch_ends_total"),
        (long) metrics.sum("watchgate_streams_refused_total"));
  }

  /** Returns the difference to {@code before}. */
  UpstreamRequests since(UpstreamRequests before) {
    return new UpstreamRequests(
        lists - before.lists,
        backfills - before.backfills,
        probes - before.probes,
        watches - before.watches,
        refusals - before.refusals);
  }
}
