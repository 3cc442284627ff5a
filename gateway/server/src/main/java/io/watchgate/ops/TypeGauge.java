package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.ApiResource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Gauge with one series per resource type, even if a type has several sources. */
final class TypeGauge {
  private TypeGauge() {}

  /**
   * Registers the gauge. Its sources are read when metrics are scraped.
   *
   * @param ofTwo merges the values of two sources of one type
   */
  static <T> void register(
      PrometheusRegistry registry,
      String name,
      String help,
      Supplier<? extends Iterable<T>> sources,
      DoubleBinaryOperator ofTwo,
      Function<T, ApiResource> type,
      ToDoubleFunction<T> value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .labelNames("type", "version")
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
