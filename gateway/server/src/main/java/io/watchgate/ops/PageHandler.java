package io.watchgate.ops;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.watchgate.ops.pages.DebugPage;
import io.watchgate.ops.pages.DebugPages;
import io.watchgate.ops.pages.PageAuthorizer;
import io.watchgate.ops.pages.PageException;
import io.watchgate.ops.pages.TextPage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler of the requests for {@link DebugPages}: authorization, the form of the answer, errors. A
 * page is JSON if {@code Accept} names {@code application/json}, else text.
 */
final class PageHandler implements HttpHandler {
  private static final Logger log = LoggerFactory.getLogger(PageHandler.class);
  private static final Gson GSON =
      new GsonBuilder().disableHtmlEscaping().setPrettyPrinting().create();
  private static final String TEXT = "text/plain; charset=utf-8";

  /** Hosts by which a request names this machine. */
  private static final Set<String> LOCAL_HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");

  /** Headers of a proxy, whose own address says nothing about the caller. */
  private static final List<String> PROXY_HEADERS =
      List.of("Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via");

  /** Pages that are made at once: each of streams reads the state of all of them. */
  private static final int MAX_AT_ONCE = 2;

  private static final Duration MAX_WAIT = Duration.ofSeconds(5);

  private final Semaphore slots = new Semaphore(MAX_AT_ONCE);
  private final DebugPages pages;
  private final PageAuthorizer authorizer;
  private final String others;

  /**
   * @param others paths of the port that are not in {@code pages}
   */
  PageHandler(DebugPages pages, PageAuthorizer authorizer, List<String> others) {
    this.pages = pages;
    this.authorizer = authorizer;
    this.others =
        "there are "
            + String.join(
                ", ",
                Stream.concat(others.stream(), pages.all().stream().map(DebugPage::path)).toList())
            + "\n";
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      answer(exchange);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    Optional<DebugPage> page = path == null ? Optional.empty() : pages.find(path);
    if (page.isEmpty()) {
      send(exchange, 404, TEXT, others);
      return;
    }
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      send(exchange, 405, TEXT, "this page can only be read\n");
      return;
    }
    PageAuthorizer.Verdict verdict =
        page.get().access() == DebugPage.Access.OPEN || isLocal(exchange)
            ? PageAuthorizer.Verdict.PASS
            : authorizer.decide(
                exchange.getRequestHeaders().getOrDefault("Authorization", List.of()),
                exchange.getRemoteAddress().getAddress(),
                path);
    if (verdict != PageAuthorizer.Verdict.PASS) {
      send(exchange, verdict.status(), TEXT, verdict.text());
      return;
    }
    try {
      if (!slots.tryAcquire(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        send(exchange, 503, TEXT, "other pages are being made for other requests; try again\n");
        return;
      }
      String text;
      try {
        JsonObject content =
            DebugPages.content(page.get(), path, exchange.getRequestURI().getRawQuery());
        text = wantsJson(exchange) ? GSON.toJson(content) + "\n" : TextPage.of(content);
      } finally {
        slots.release();
      }
      send(exchange, 200, wantsJson(exchange) ? "application/json" : TEXT, text);
    } catch (PageException e) {
      send(exchange, e.status(), TEXT, e.text() + "\n");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      send(exchange, 503, TEXT, "the gateway is shutting down\n");
    } catch (RuntimeException e) {
      log.error("the page {} could not be made", page.get().path(), e);
      send(exchange, 500, TEXT, "this page could not be made; the log of the gateway has why\n");
    }
  }

  /**
   * Returns whether the request was sent by a process of this host, such as the end of a
   * port-forward. The name of the host shows that it is not the page of another site in a browser
   * here, whose name resolves to this machine.
   */
  private static boolean isLocal(HttpExchange exchange) {
    String host = exchange.getRequestHeaders().getFirst("Host");
    return exchange.getRemoteAddress().getAddress().isLoopbackAddress()
        && host != null
        && LOCAL_HOSTS.contains(host.replaceFirst(":[0-9]+$", ""))
        && PROXY_HEADERS.stream().noneMatch(exchange.getRequestHeaders()::containsKey);
  }

  private static boolean wantsJson(HttpExchange exchange) {
    return exchange.getRequestHeaders().getOrDefault("Accept", List.of()).stream()
        .anyMatch(accepted -> accepted.contains("application/json"));
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.getResponseHeaders().set("Cache-Control", "no-store");
    exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
    } else {
      exchange.sendResponseHeaders(status, body.length);
      exchange.getResponseBody().write(body);
    }
  }
}
