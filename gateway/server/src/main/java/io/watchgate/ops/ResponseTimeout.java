package io.watchgate.ops;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Limit of the time that a response takes, which depends on the request. A thread that writes to a
 * client which does not read is interrupted, and that closes the connection. The limit of the JDK's
 * server is the same for all requests.
 */
final class ResponseTimeout extends Filter implements AutoCloseable {
  private final Function<HttpExchange, Duration> limits;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().name("ops-timeout").factory());

  /**
   * @param limits returns the limit for a request
   */
  ResponseTimeout(Function<HttpExchange, Duration> limits) {
    this.limits = limits;
  }

  @Override
  public void doFilter(HttpExchange exchange, Chain chain) throws IOException {
    Thread handler = Thread.currentThread();
    Future<?> timeout =
        timer.schedule(handler::interrupt, limits.apply(exchange).toNanos(), TimeUnit.NANOSECONDS);
    try {
      chain.doFilter(exchange);
    } finally {
      timeout.cancel(false);
    }
  }

  @Override
  public String description() {
    return "limit of the time of a response";
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
