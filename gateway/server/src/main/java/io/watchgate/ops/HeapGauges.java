package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.HeapBudget;
import io.watchgate.cache.TypeRegistry;

/** Gauges of the heap's budget, read when metrics are scraped. */
public final class HeapGauges {
  private HeapGauges() {}

  public static void register(PrometheusRegistry registry, TypeRegistry types) {
    MetricFactory metrics = new MetricFactory(registry);
    HeapBudget heap = types.heap();
    GaugeWithCallback.builder()
        .name("watchgate_heap_budget_bytes")
        .help(
            "Estimated heap that a part of the gateway uses (kind used) and its maximum (kind"
                + " limit). Parts: states; history; laggards (pinned revisions); backfill; streams;"
                + " snapshots; responses (unary, unread); answers (lists and gets over the"
                + " Kubernetes API); unaccounted (measured by the collector, of none of these);"
                + " settling (given up, not collected yet); all (the sum, and the budget for it)")
        .labelNames(MetricLabels.PART, MetricLabels.KIND)
        .callback(
            gauge -> {
              for (HeapBudget.Part part : heap.parts()) {
                long limit =
                    part.name().equals("states")
                        ? Math.min(part.limit(), types.stateLimit())
                        : part.limit();
                gauge.call((double) part.used(), part.name(), "used");
                gauge.call((double) limit, part.name(), "limit");
              }
            })
        .register(registry);
    metrics.readGauge(
        "watchgate_heap_budget_exhausted",
        "1 while new streams and snapshots are refused because the heap budget is used up",
        () -> heap.isShort() ? 1 : 0);
    GaugeWithCallback.builder()
        .name("jvm_memory_max_bytes")
        .help("Maximum size of the heap")
        .labelNames(MetricLabels.AREA)
        .callback(gauge -> gauge.call((double) Runtime.getRuntime().maxMemory(), "heap"))
        .register(registry);
  }
}
