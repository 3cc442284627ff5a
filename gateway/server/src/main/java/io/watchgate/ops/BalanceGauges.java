package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.IntSupplier;

/** Gauge of the replicas that this replica knows. */
public final class BalanceGauges {
  private BalanceGauges() {}

  /** Registers the gauge; it is read when metrics are scraped. */
  public static void register(PrometheusRegistry registry, IntSupplier replicas) {
    GaugeWithCallback.builder()
        .name("watchgate_replicas")
        .help("Replicas among which streams are balanced, this one included, as this one sees them")
        .callback(gauge -> gauge.call(replicas.getAsInt()))
        .register(registry);
  }
}
