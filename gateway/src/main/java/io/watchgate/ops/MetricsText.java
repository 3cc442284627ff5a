package io.watchgate.ops;

import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The metrics as Prometheus reads them, written one page at a time, each by a platform thread: on a
 * virtual one the JDK's {@code BufferedWriter} begins with a small buffer and has a new one for
 * nearly each word until it is full-sized, which comes to 18 MB for a page of 24 KB. Thread-safe.
 */
final class MetricsText implements AutoCloseable {
  private static final PrometheusTextFormatWriter WRITER = PrometheusTextFormatWriter.create();
  static final String CONTENT_TYPE = WRITER.getContentType();

  private static final int IDLE_SECONDS = 60;

  private final PrometheusRegistry registry;
  private final ExecutorService thread;

  MetricsText(PrometheusRegistry registry) {
    this.registry = registry;
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
   * As they are now. Waits for it.
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
      WRITER.write(page, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return page.toByteArray();
  }

  /** Whoever waits has its page; nobody else has. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
