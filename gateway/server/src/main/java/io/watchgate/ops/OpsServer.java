package io.watchgate.ops;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.ops.pages.DebugPages;
import io.watchgate.ops.pages.HtmlPage;
import io.watchgate.ops.pages.PageAuthorizer;
import io.watchgate.ops.pages.RecordingPage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * HTTP server of probes, metrics and pages for operators: {@code /livez} (the process answers),
 * {@code /readyz} (the gateway is ready, or the reason why not; with {@code ?verbose} each check),
 * {@code /metrics} (Prometheus text), {@link DebugPages}. There are few clients and small
 * responses, so it uses the JDK's server.
 */
public final class OpsServer implements AutoCloseable {
  /** A request arrives in one packet. */
  private static final int REQUEST_SECONDS = 5;

  /** A page of metrics has some hundred kilobytes, a recording some megabytes. */
  private static final Duration RESPONSE_TIME = Duration.ofSeconds(30);

  static {
    // The JDK's server reads these limits once, when it is loaded, and has none by default. Without
    // them each client that sends half a request, or does not read a page, would keep a thread and
    // a descriptor for ever.
    limit("sun.net.httpserver.maxReqTime", REQUEST_SECONDS);
    // One response may take minutes, so the others have a shorter limit of their own.
    limit(
        "sun.net.httpserver.maxRspTime",
        (int) RESPONSE_TIME.multipliedBy(2).plus(RecordingPage.MAX_TIME).toSeconds());
  }

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("ops-", 0).factory());

  private final Duration responseTime;
  private final ResponseTimeout timeout = new ResponseTimeout(this::maxTime);
  private final MetricsExposition metrics;

  /**
   * @param readiness checks that must be met for the gateway to be ready
   * @param guard authorization of metrics; probes need none
   * @param pages further pages
   * @param pageGuard authorization of callers on other hosts, for pages that are not public
   * @throws IOException if the server cannot listen on the address
   */
  public OpsServer(
      InetSocketAddress address,
      PrometheusRegistry registry,
      Supplier<List<ReadinessCheck>> readiness,
      PageAuthorizer guard,
      DebugPages pages,
      PageAuthorizer pageGuard)
      throws IOException {
    this(address, registry, readiness, guard, pages, pageGuard, RESPONSE_TIME);
  }

  /**
   * Creates the same server with another timeout of responses, for tests on a loaded machine.
   *
   * @param responseTime timeout of a response; that of a recording is longer
   */
  OpsServer(
      InetSocketAddress address,
      PrometheusRegistry registry,
      Supplier<List<ReadinessCheck>> readiness,
      PageAuthorizer guard,
      DebugPages pages,
      PageAuthorizer pageGuard,
      Duration responseTime)
      throws IOException {
    this.responseTime = responseTime;
    server = HttpServer.create(address, 0);
    metrics = new MetricsExposition(registry);
    server.setExecutor(threads);
    serve("/livez", exchange -> text(exchange, "/livez", 200, "ok\n"));
    serve("/readyz", exchange -> answerReadiness(exchange, readiness.get()));
    serve(
        "/metrics",
        exchange -> {
          PageAuthorizer.Verdict verdict =
              guard
                  .decide(
                      exchange.getRequestHeaders().getOrDefault("Authorization", List.of()),
                      exchange.getRemoteAddress().getAddress(),
                      "/metrics")
                  .verdict();
          if (verdict != PageAuthorizer.Verdict.PASS) {
            text(exchange, "/metrics", verdict.status(), verdict.text());
            return;
          }
          answer(exchange, "/metrics", 200, MetricsExposition.CONTENT_TYPE, metrics.page());
        });
    serve(
        "/",
        new PageHandler(
            pages,
            new HtmlPage(pages),
            pageGuard,
            responseTime,
            List.of("/livez", "/readyz", "/metrics")));
  }

  private Duration maxTime(HttpExchange exchange) {
    return RecordingPage.PATH.equals(exchange.getRequestURI().getPath())
        ? responseTime.plus(RecordingPage.MAX_TIME)
        : responseTime;
  }

  private void serve(String path, HttpHandler handler) {
    server.createContext(path, handler).getFilters().add(timeout);
  }

  private static void answerReadiness(HttpExchange exchange, List<ReadinessCheck> checks)
      throws IOException {
    Optional<ReadinessCheck> failed = checks.stream().filter(check -> !check.isMet()).findFirst();
    StringBuilder text = new StringBuilder();
    String query = exchange.getRequestURI().getRawQuery();
    if (query != null && query.matches("(.*&)?verbose(=.*)?(&.*)?")) {
      for (ReadinessCheck check : checks) {
        text.append(check.isMet() ? "[+]" : "[-]").append(check.name());
        text.append(check.isMet() ? " ok\n" : " failed: " + check.failure() + "\n");
      }
      text.append(failed.isEmpty() ? "readyz check passed\n" : "readyz check failed\n");
    } else {
      text.append(failed.map(ReadinessCheck::failure).orElse("ok")).append('\n');
    }
    text(exchange, "/readyz", failed.isEmpty() ? 200 : 503, text.toString());
  }

  private static void limit(String property, int seconds) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(seconds));
    }
  }

  public void start() {
    server.start();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  private static void text(HttpExchange exchange, String path, int status, String text)
      throws IOException {
    answer(
        exchange, path, status, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }

  private static void answer(
      HttpExchange exchange, String path, int status, String contentType, byte[] body)
      throws IOException {
    try (exchange) {
      boolean get = exchange.getRequestMethod().equals("GET");
      boolean exact = path.isEmpty() || exchange.getRequestURI().getPath().equals(path);
      if (!get || !exact) {
        exchange.sendResponseHeaders(get ? 404 : 405, -1);
        return;
      }
      exchange.getResponseHeaders().set("Content-Type", contentType);
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow(); // a recording ends, and leaves nothing
    timeout.close();
    metrics.close();
  }
}
