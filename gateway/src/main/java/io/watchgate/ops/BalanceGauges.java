package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.IntSupplier;

/** What a replica knows of the others. */
public final class BalanceGauges {
  private BalanceGauges() {}

  /** Registers it; it is looked up when metrics are asked for. */
  public static void register(PrometheusRegistry registry, IntSupplier replicas) {
    GaugeWithCallback.builder()
        .name("watchgate_replicas")
        .help(
            "Replicas among which streams are balanced, as far as this one knows, itself included")
        .callback(gauge -> gauge.call(replicas.getAsInt()))
        .register(registry);
  }
}
