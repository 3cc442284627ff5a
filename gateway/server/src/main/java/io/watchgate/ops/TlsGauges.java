package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
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
    GaugeWithCallback.builder()
        .name("watchgate_tls_certificate_expiry_timestamp_seconds")
        .help("Expiry of the certificate that is served to subscribers, in Unix time")
        .callback(gauge -> gauge.call((double) expiry.get().getEpochSecond()))
        .register(registry);
    GaugeWithCallback.builder()
        .name("watchgate_tls_files_rejected")
        .help(
            "1 while the files of --tls-cert, --tls-key or --tls-client-ca cannot be used, and"
                + " their earlier content is")
        .callback(gauge -> gauge.call(rejected.getAsBoolean() ? 1 : 0))
        .register(registry);
  }
}
