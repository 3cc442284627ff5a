package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import java.time.Duration;
import java.util.function.ToDoubleFunction;

/** What is looked up in the open caches when metrics are asked for. */
public final class CacheGauges {
  private CacheGauges() {}

  public static void register(PrometheusRegistry registry, TypeRegistry types) {
    gauge(
        registry,
        types,
        "watchgate_objects",
        "Objects held",
        cache -> head(cache, revision -> revision.state().size()));
    gauge(
        registry,
        types,
        "watchgate_object_bytes",
        "Bytes that the objects occupy on the heap, an estimate; bounded by the state budget",
        cache -> head(cache, revision -> revision.state().objectBytes()));
    gauge(
        registry,
        types,
        "watchgate_history_revisions",
        "Revisions that can be followed",
        WatchCache::historySize);
    gauge(
        registry,
        types,
        "watchgate_history_bytes",
        "Bytes that only history keeps alive; bounded by the history budget",
        WatchCache::historyBytes);
    gauge(
        registry,
        types,
        "watchgate_history_window_seconds",
        "How long ago the oldest revision that can be followed was received",
        CacheGauges::window);
    gauge(
        registry,
        types,
        "watchgate_staleness_seconds",
        "Since the apiserver last proved the state up to date",
        cache -> cache.stalenessNanos() / 1e9);
    gauge(
        registry,
        types,
        "watchgate_synced",
        "1 if the type has a state and a watch, 0 while it is loading or disconnected",
        cache -> cache.upstream().phase() == UpstreamState.Phase.WATCHING ? 1 : 0);
  }

  private static double head(WatchCache cache, ToDoubleFunction<Revision> value) {
    Revision head = cache.head();
    return head == null ? 0 : value.applyAsDouble(head);
  }

  private static double window(WatchCache cache) {
    Revision oldest = cache.oldest();
    Revision head = cache.head();
    return oldest == null || head == null
        ? 0
        : Duration.between(oldest.receivedAt(), head.receivedAt()).toMillis() / 1e3;
  }

  private static void gauge(
      PrometheusRegistry registry,
      TypeRegistry types,
      String name,
      String help,
      ToDoubleFunction<WatchCache> value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames("type", "version")
        .callback(
            gauge -> {
              for (WatchCache cache : types.caches()) {
                gauge.call(
                    value.applyAsDouble(cache),
                    cache.definition().type().groupResource(),
                    cache.definition().type().version());
              }
            })
        .register(registry);
  }
}
