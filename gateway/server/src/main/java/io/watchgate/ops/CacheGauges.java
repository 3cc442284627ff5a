package io.watchgate.ops;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.Revision;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.WatchCache;
import java.time.Duration;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleFunction;

/**
 * Gauges that are read from the open caches when metrics are scraped. A type may be open twice for
 * a moment, while a new definition replaces the old one. Both caches then form one series.
 */
public final class CacheGauges {
  private CacheGauges() {}

  public static void register(PrometheusRegistry registry, TypeRegistry types) {
    MetricFactory metrics = new MetricFactory(registry);
    PerType each = new PerType(metrics, types);
    each.gaugePerType(
        "watchgate_objects",
        "Objects in the cache",
        Double::sum,
        cache -> head(cache, revision -> revision.state().size()));
    each.gaugePerType(
        "watchgate_object_bytes",
        "Estimated bytes of the objects on the heap; bounded by the state budget",
        Double::sum,
        cache -> head(cache, revision -> revision.state().objectBytes()));
    each.gaugePerType(
        "watchgate_history_revisions",
        "Revisions in history, from which a stream can follow",
        Double::sum,
        WatchCache::historySize);
    each.gaugePerType(
        "watchgate_history_bytes",
        "Bytes that only history keeps alive; bounded by the history budget",
        Double::sum,
        WatchCache::historyBytes);
    each.gaugePerType(
        "watchgate_history_window_seconds",
        "Time between the receipt of the oldest and of the newest revision in history",
        CacheGauges::newest,
        CacheGauges::window);
    each.gaugePerType(
        "watchgate_staleness_seconds",
        "Time since the apiserver last proved the state current",
        CacheGauges::newest,
        cache -> cache.proofs().stalenessNanos() / 1e9);
    each.gaugePerType(
        "watchgate_synced",
        "1 if the type has a state and a watch, 0 while it is loading or disconnected",
        CacheGauges::newest,
        cache -> cache.upstreamState().phase() == UpstreamState.ReflectorPhase.WATCHING ? 1 : 0);
    each.gaugePerType(
        "watchgate_last_change_timestamp_seconds",
        "Time at which the newest change or list of the type was received, in seconds since 1970;"
            + " 0 while there is none",
        CacheGauges::newest,
        cache -> head(cache, revision -> revision.receivedAt().toEpochMilli() / 1e3));
    metrics.readGauge(
        "watchgate_history_checks_waiting",
        "Types that are queued for the comparison after lost connections; 4 run at once",
        types::waitingComparisons);
  }

  private static double head(WatchCache cache, ToDoubleFunction<Revision> value) {
    Revision head = cache.head();
    return head == null ? 0 : value.applyAsDouble(head);
  }

  private static double newest(double older, double newer) {
    return newer;
  }

  private static double window(WatchCache cache) {
    Revision oldest = cache.oldest();
    Revision head = cache.head();
    return oldest == null || head == null
        ? 0
        : Duration.between(oldest.receivedAt(), head.receivedAt()).toMillis() / 1e3;
  }

  /** Factory of gauges with a series for each type. */
  private record PerType(MetricFactory metrics, TypeRegistry types) {
    void gaugePerType(
        String name, String help, DoubleBinaryOperator ofTwo, ToDoubleFunction<WatchCache> value) {
      metrics.readGaugePerType(
          name, help, types::caches, ofTwo, cache -> cache.definition().type(), value);
    }
  }
}
