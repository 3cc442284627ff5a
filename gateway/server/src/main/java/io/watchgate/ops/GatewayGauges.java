package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.function.BooleanSupplier;

/** Gauges of the gateway as a whole: its version, and whether it serves. */
public final class GatewayGauges {
  private GatewayGauges() {}

  /**
   * Registers the gauges; they are read when metrics are scraped.
   *
   * @param isReady as {@code /readyz}
   * @param isDraining true from the begin of the shutdown on
   */
  public static void register(
      PrometheusRegistry registry,
      String version,
      BooleanSupplier isReady,
      BooleanSupplier isDraining) {
    GaugeWithCallback.builder()
        .name("watchgate_build_info")
        .help("1; the labels have the version of the gateway and of Java")
        .labelNames(MetricLabels.VERSION, MetricLabels.JDK)
        .callback(gauge -> gauge.call(1, version, Runtime.version().toString()))
        .register(registry);
    MetricFactory metrics = new MetricFactory(registry);
    metrics.readGauge(
        "watchgate_ready",
        "1 if the gateway is ready, 0 if not; /readyz says why",
        () -> isReady.getAsBoolean() ? 1 : 0);
    metrics.readGauge(
        "watchgate_draining",
        "1 if the gateway is shutting down and asks its streams to leave, else 0",
        () -> isDraining.getAsBoolean() ? 1 : 0);
  }
}
