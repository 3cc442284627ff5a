package io.watchgate.ops;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Gauges for alerts before the certificate expires, and when TLS files were rejected. */
public final class TlsGauges {
  private TlsGauges() {}

  /** Registers the gauges; they are read when metrics are scraped. */
  public static void register(
      PrometheusRegistry registry, Supplier<Instant> expiry, BooleanSupplier rejected) {
    MetricFactory metrics = new MetricFactory(registry);
    metrics.readGauge(
        "watchgate_tls_certificate_expiry_timestamp_seconds",
        "Expiry of the certificate that is served to subscribers, in Unix time",
        () -> expiry.get().getEpochSecond());
    metrics.readGauge(
        "watchgate_tls_files_rejected",
        "1 while the files of --tls-cert, --tls-key or --tls-client-ca cannot be used, and"
            + " their previous content stays in use",
        () -> rejected.getAsBoolean() ? 1 : 0);
  }
}
