package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.fanout.FanoutSettings;
import io.watchgate.fanout.RouterRegistry;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;

/** Gauges of the memory that streams share, and of its limits. */
public final class FanoutGauges {
  private FanoutGauges() {}

  /** Registers the gauges; they are read when metrics are scraped. */
  public static void register(
      PrometheusRegistry registry, RouterRegistry routers, FanoutSettings.Limits limits) {
    gauge(
        registry,
        "watchgate_feeds",
        "Different selections and projections that are served; bounded by watchgate_feeds_limit",
        routers::feeds);
    gauge(
        registry,
        "watchgate_feeds_limit",
        "How many different selections and projections may be served",
        limits::feeds);
    gauge(
        registry,
        "watchgate_outbound_bytes",
        "Estimated bytes in the transport for slow readers; bounded by"
            + " watchgate_outbound_bytes_limit",
        routers::outboundBytes);
    gauge(
        registry,
        "watchgate_outbound_bytes_limit",
        "Bytes that may wait in the transport for slow readers",
        limits::outboundBytes);
    gauge(
        registry,
        "watchgate_snapshot_bytes",
        "Of the snapshots under way, about; bounded by watchgate_snapshot_bytes_limit",
        routers::snapshotBytes);
    gauge(
        registry,
        "watchgate_snapshot_bytes_limit",
        "How much of snapshots may be under way at a time",
        limits::snapshotBytes);
    gauge(
        registry,
        "watchgate_snapshots_waiting",
        "Streams that wait until their snapshot may begin; at most 10,000",
        routers::waitingSnapshots);
    gauge(
        registry,
        "watchgate_roots_limit",
        "Revisions behind history that lagging streams may pin, of each type",
        limits::pinnedRevisions);
    typed(
        registry,
        routers,
        "watchgate_roots",
        "States behind history that streams stand on; bounded by watchgate_roots_limit",
        RouterRegistry.Measured::pinnedRevisions);
    typed(
        registry,
        routers,
        "watchgate_root_bytes",
        "Bytes that only those states keep alive",
        RouterRegistry.Measured::pinnedBytes);
    typed(
        registry,
        routers,
        "watchgate_router_lag_bytes",
        "Bytes superseded by changes that are not led to their feeds yet",
        RouterRegistry.Measured::routerLagBytes);
  }

  private static void gauge(
      PrometheusRegistry registry, String name, String help, DoubleSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(gauge -> gauge.call(value.getAsDouble()))
        .register(registry);
  }

  private static void typed(
      PrometheusRegistry registry,
      RouterRegistry routers,
      String name,
      String help,
      ToDoubleFunction<RouterRegistry.Measured> value) {
    TypeGauge.register(
        registry,
        name,
        help,
        routers::measurements,
        Double::sum,
        type -> type.cache().definition().type(),
        value);
  }
}
