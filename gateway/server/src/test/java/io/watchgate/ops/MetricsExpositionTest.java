package io.watchgate.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.ApiResource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class MetricsExpositionTest {
  private final PrometheusRegistry registry = new PrometheusRegistry();

  /**
   * On a virtual thread the JDK's writer would allocate a new buffer for nearly each word of the
   * page.
   */
  @Test
  void page_isWrittenByAPlatformThread() throws Exception {
    var writers = new ConcurrentLinkedQueue<Boolean>();
    GaugeWithCallback.builder()
        .name("seen")
        .callback(
            callback -> {
              writers.add(Thread.currentThread().isVirtual());
              callback.call(1);
            })
        .register(registry);
    try (MetricsExposition metrics = new MetricsExposition(registry);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      byte[] page = threads.submit(metrics::page).get(1, TimeUnit.MINUTES);

      assertThat(new String(page, StandardCharsets.UTF_8)).contains("seen 1.0");
      assertThat(writers).containsOnly(false);
    }
  }

  @Test
  void pages_areWrittenOneAtATime() {
    var now = new AtomicInteger();
    GaugeWithCallback.builder()
        .name("writing")
        .callback(
            callback -> {
              callback.call(now.incrementAndGet());
              LockSupport.parkNanos(100_000);
              now.decrementAndGet();
            })
        .register(registry);
    try (MetricsExposition metrics = new MetricsExposition(registry);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var pages = new ArrayList<CompletableFuture<String>>();
      for (int i = 0; i < 50; i++) {
        pages.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return new String(metrics.page(), StandardCharsets.UTF_8);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                },
                threads));
      }
      assertThat(pages).allSatisfy(page -> assertThat(page.join()).contains("writing 1.0"));
    }
  }

  private static String text(MetricsExposition metrics) throws IOException {
    return new String(metrics.page(), StandardCharsets.UTF_8);
  }

  @Test
  void aMetricThatFails_isLeftOutAlone() throws Exception {
    GaugeWithCallback.builder().name("before").callback(gauge -> gauge.call(1)).register(registry);
    GaugeWithCallback.builder()
        .name("broken")
        .callback(
            gauge -> {
              throw new IllegalStateException("on purpose");
            })
        .register(registry);
    GaugeWithCallback.builder()
        .name("twice")
        .labelNames("type")
        .callback(
            gauge -> {
              gauge.call(1, "pods");
              gauge.call(2, "pods");
            })
        .register(registry);
    CounterWithCallback.builder()
        .name("behind")
        .callback(counter -> counter.call(3))
        .register(registry);
    Histogram.builder().name("spread").withoutExemplars().register(registry).observe(0.1);
    try (MetricsExposition metrics = new MetricsExposition(registry)) {
      for (int page = 1; page <= 2; page++) {
        assertThat(text(metrics))
            .contains("before 1.0", "behind_total 3.0", "spread_count 1")
            .contains("watchgate_metrics_errors_total{metric=\"broken\"} " + page + ".0")
            .contains("watchgate_metrics_errors_total{metric=\"twice\"} " + page + ".0")
            .doesNotContain("pods");
      }
    }
  }

  @Test
  void aTypeThatIsOpenTwice_isOneSeries() throws Exception {
    record Source(ApiResource type, int value) {}
    ApiResource pods = new ApiResource("", "v1", "pods", "Pod", ApiResource.Scope.NAMESPACED);
    ApiResource renamed = new ApiResource("", "v1", "pods", "Capsule", ApiResource.Scope.CLUSTER);
    List<Source> sources = List.of(new Source(pods, 1), new Source(renamed, 2));
    MetricFactory factory = new MetricFactory(registry);
    factory.readGaugePerType(
        "sum", "of both", () -> sources, Double::sum, Source::type, Source::value);
    factory.readGaugePerType(
        "last", "of both", () -> sources, (a, b) -> b, Source::type, Source::value);
    try (MetricsExposition metrics = new MetricsExposition(registry)) {
      assertThat(text(metrics))
          .contains("sum{type=\"pods\",version=\"v1\"} 3.0")
          .contains("last{type=\"pods\",version=\"v1\"} 2.0")
          .doesNotContain("watchgate_metrics_errors_total{");
    }
  }
}
