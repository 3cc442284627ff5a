package io.watchgate.ops;

import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prometheus text page of the metrics. One page is written at a time, on a platform thread. On a
 * virtual thread the JDK's {@code BufferedWriter} begins with a small buffer and reallocates it for
 * nearly each word until it has its full size (see docs/explanation/measurements.md). A metric that
 * cannot be collected or written is omitted, counted, and logged once; the rest of the page is
 * written. Thread-safe.
 */
final class MetricsExposition implements AutoCloseable {
  private static final PrometheusTextFormatWriter WRITER = PrometheusTextFormatWriter.create();
  static final String CONTENT_TYPE = WRITER.getContentType();

  private static final int IDLE_SECONDS = 60;
  private static final Logger log = LoggerFactory.getLogger(MetricsExposition.class);

  private final PrometheusRegistry registry;
  private final ExecutorService thread;

  /** Separate registry, so that its metrics can be written even if others fail. */
  private final PrometheusRegistry own = new PrometheusRegistry();

  private final Counter errors;

  /** Names of metrics that were omitted; used by the thread only. */
  private final Set<String> omitted = new HashSet<>();

  MetricsExposition(PrometheusRegistry registry) {
    this.registry = registry;
    this.errors =
        new MetricFactory(own)
            .counter(
                "watchgate_metrics_errors",
                "Times that a metric was left out of the page because reading it failed",
                MetricLabels.METRIC);
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("metrics").factory());
    one.allowCoreThreadTimeOut(true);
    this.thread = one;
  }

  /**
   * Returns the page with the current values. Waits for the thread that writes it.
   *
   * @throws java.util.concurrent.RejectedExecutionException after {@link #close}
   */
  byte[] page() throws IOException {
    try {
      return CompletableFuture.supplyAsync(this::write, thread).join();
    } catch (CompletionException e) {
      throw new IOException("the metrics could not be written", e.getCause());
    }
  }

  private byte[] write() {
    ByteArrayOutputStream page = new ByteArrayOutputStream(1 << 16);
    try {
      try {
        WRITER.write(page, registry.scrape());
      } catch (RuntimeException e) {
        page.reset();
        writeEach(page);
      }
      WRITER.write(page, own.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return page.toByteArray();
  }

  /** Writes metric by metric, and omits those that fail. */
  private void writeEach(ByteArrayOutputStream page) throws IOException {
    Set<String> names = new TreeSet<>();
    var _ =
        registry.scrape(
            name -> {
              names.add(name);
              return false;
            });
    for (String name : names) {
      ByteArrayOutputStream written = new ByteArrayOutputStream();
      try {
        WRITER.write(written, registry.scrape(name::equals));
        page.writeBytes(written.toByteArray());
      } catch (RuntimeException e) {
        omit(name, e);
      }
    }
  }

  private void omit(String metric, RuntimeException failure) {
    errors.labelValues(metric).inc();
    if (omitted.add(metric)) {
      log.error("the metric {} could not be read and is left out of /metrics", metric, failure);
    }
  }

  /** Ends the thread after the pages that callers are waiting for. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
