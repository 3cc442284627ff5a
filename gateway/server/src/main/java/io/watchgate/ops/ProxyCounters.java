package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.http.AnswerSource;
import io.watchgate.http.ProxyMetrics;
import java.util.Locale;

/** Metrics of requests over the Kubernetes API that are updated as events happen. Thread-safe. */
public final class ProxyCounters implements ProxyMetrics {
  private final Counter requests;
  private final Gauge relays;
  private final Gauge unsentBytes;

  /** Registers the metrics. */
  public ProxyCounters(PrometheusRegistry registry) {
    MetricFactory metrics = new MetricFactory(registry);
    requests =
        metrics.counter(
            "watchgate_kube_requests",
            "Requests over the Kubernetes API, by verb, by the source of the answer (cache, proven:"
                + " a cache that was proven current, apiserver: relayed, gateway: answered by the"
                + " gateway itself), and by the reason of the relay, or the code that the gateway"
                + " sent; without a reason: answered from a cache",
            MetricLabels.VERB,
            MetricLabels.SOURCE,
            MetricLabels.REASON);
    relays =
        metrics.gauge("watchgate_kube_relays", "Requests that are being relayed to the apiserver");
    unsentBytes =
        metrics.gauge(
            "watchgate_kube_unsent_bytes",
            "Bytes of events that HTTP/2 connections of the Kubernetes API have not taken yet; at"
                + " most 32 KiB a connection");
  }

  @Override
  public void answered(String verb, AnswerSource source, String reason) {
    requests.labelValues(verb, source.name().toLowerCase(Locale.ROOT), reason).inc();
  }

  @Override
  public void relaysChanged(int by) {
    relays.inc(by);
  }

  @Override
  public void unsentBytesChanged(int by) {
    unsentBytes.inc(by);
  }
}
