package io.watchgate.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

final class MetricsTextTest {
  private final PrometheusRegistry registry = new PrometheusRegistry();

  /** There the JDK's writer would have a new buffer for nearly each word of the page. */
  @Test
  void aPageThatAVirtualThreadWaitsForIsWrittenByAPlatformThread() throws Exception {
    var writers = new ConcurrentLinkedQueue<Boolean>();
    GaugeWithCallback.builder()
        .name("seen")
        .callback(
            callback -> {
              writers.add(Thread.currentThread().isVirtual());
              callback.call(1);
            })
        .register(registry);
    try (MetricsText metrics = new MetricsText(registry);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      byte[] page = threads.submit(metrics::page).get(1, TimeUnit.MINUTES);

      assertThat(new String(page, StandardCharsets.UTF_8)).contains("seen 1.0");
      assertThat(writers).containsOnly(false);
    }
  }

  @Test
  void pagesAreWrittenOneAtATime() {
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
    try (MetricsText metrics = new MetricsText(registry);
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
}
