package io.watchgate.ops;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.RouterRegistry;
import java.util.function.ToDoubleFunction;

/** Gauges of the memory that streams share, and of its limits. */
public final class FanoutGauges {
  private FanoutGauges() {}

  /** Registers the gauges; they are read when metrics are scraped. */
  public static void register(
      PrometheusRegistry registry, RouterRegistry routers, FanoutSettings.Limits limits) {
    MetricFactory metrics = new MetricFactory(registry);
    metrics.readGauge(
        "watchgate_feeds",
        "Feeds: different pairs of selection and projection; bounded by watchgate_feeds_limit",
        routers::feeds);
    metrics.readGauge("watchgate_feeds_limit", "Maximum number of feeds", limits::feeds);
    metrics.readGauge(
        "watchgate_outbound_bytes",
        "Estimated bytes that wait in the transport for slow readers; bounded by"
            + " watchgate_outbound_bytes_limit",
        routers::outboundBytes);
    metrics.readGauge(
        "watchgate_outbound_bytes_limit",
        "Maximum of the bytes that wait in the transport for slow readers",
        limits::outboundBytes);
    metrics.readGauge(
        "watchgate_snapshot_bytes",
        "Estimated bytes of snapshots that are being sent; bounded by"
            + " watchgate_snapshot_bytes_limit",
        routers::snapshotBytes);
    metrics.readGauge(
        "watchgate_snapshot_bytes_limit",
        "Maximum of the bytes of snapshots that are being sent",
        limits::snapshotBytes);
    metrics.readGauge(
        "watchgate_snapshots_waiting",
        "Streams that are queued for the start of their snapshot; at most 10,000",
        routers::waitingSnapshots);
    metrics.readGauge(
        "watchgate_pinned_revisions_limit",
        "Maximum number of trimmed revisions that lagging streams pin, of each type",
        limits::pinnedRevisions);
    gaugePerType(
        metrics,
        routers,
        "watchgate_pinned_revisions",
        "Trimmed revisions that lagging streams pin; bounded by"
            + " watchgate_pinned_revisions_limit",
        RouterRegistry.Measurement::pinnedRevisions);
    gaugePerType(
        metrics,
        routers,
        "watchgate_pinned_revision_bytes",
        "Bytes that only pinned revisions keep alive",
        RouterRegistry.Measurement::pinnedBytes);
    gaugePerType(
        metrics,
        routers,
        "watchgate_router_lag_bytes",
        "Bytes of old objects that stay in the heap until the router has distributed the changes"
            + " that replaced them",
        RouterRegistry.Measurement::routerLagBytes);
  }

  private static void gaugePerType(
      MetricFactory metrics,
      RouterRegistry routers,
      String name,
      String help,
      ToDoubleFunction<RouterRegistry.Measurement> value) {
    metrics.readGaugePerType(
        name,
        help,
        routers::measurements,
        Double::sum,
        type -> type.cache().definition().type(),
        value);
  }
}
