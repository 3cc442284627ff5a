package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.ApiResource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Factory of Prometheus metrics, which also registers them. */
record MetricFactory(PrometheusRegistry registry) {
  /** Registers a counter without exemplars. */
  Counter counter(String name, String help, String... labels) {
    return Counter.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .withoutExemplars()
        .register(registry);
  }

  /** Registers a gauge without exemplars. */
  Gauge gauge(String name, String help, String... labels) {
    return Gauge.builder()
        .name(name)
        .help(help)
        .labelNames(labels)
        .withoutExemplars()
        .register(registry);
  }

  /** Registers a counter that is read when metrics are scraped. */
  void readCounter(String name, String help, DoubleSupplier value) {
    CounterWithCallback.builder()
        .name(name)
        .help(help)
        .callback(counter -> counter.call(value.getAsDouble()))
        .register(registry);
  }

  /** Registers a gauge that is read when metrics are scraped. */
  void readGauge(String name, String help, DoubleSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(gauge -> gauge.call(value.getAsDouble()))
        .register(registry);
  }

  /**
   * Registers a gauge with one series per resource type, even if a type has several sources. They
   * are read when metrics are scraped.
   *
   * @param ofTwo merges the values of two sources of one type
   */
  <T> void readGaugePerType(
      String name,
      String help,
      Supplier<? extends Iterable<T>> sources,
      DoubleBinaryOperator ofTwo,
      Function<T, ApiResource> type,
      ToDoubleFunction<T> value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames(MetricLabels.TYPE, MetricLabels.VERSION)
        .callback(
            gauge -> {
              Map<List<String>, Double> values = new LinkedHashMap<>();
              for (T source : sources.get()) {
                ApiResource of = type.apply(source);
                values.merge(
                    List.of(of.groupResource(), of.version()),
                    value.applyAsDouble(source),
                    ofTwo::applyAsDouble);
              }
              values.forEach((labels, each) -> gauge.call(each, labels.toArray(String[]::new)));
            })
        .register(registry);
  }
}
