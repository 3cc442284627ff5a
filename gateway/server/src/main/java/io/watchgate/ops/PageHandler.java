package io.watchgate.ops;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.watchgate.ops.pages.DebugPage;
import io.watchgate.ops.pages.DebugPages;
import io.watchgate.ops.pages.HtmlPage;
import io.watchgate.ops.pages.ObjectAccess;
import io.watchgate.ops.pages.PageAuthorizer;
import io.watchgate.ops.pages.PageException;
import io.watchgate.ops.pages.TextPage;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler of the requests for {@link DebugPages}: authorization, the form of the answer, errors. A
 * page is JSON, lines of JSON (one each second), or HTML if {@code Accept} names that, else text.
 * An action is for POST, and answers with a file.
 */
final class PageHandler implements HttpHandler {
  private static final Logger log = LoggerFactory.getLogger(PageHandler.class);
  private static final Gson GSON =
      new GsonBuilder().disableHtmlEscaping().setPrettyPrinting().create();
  private static final Gson LINE_GSON = new GsonBuilder().disableHtmlEscaping().create();
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String HTML = "text/html; charset=utf-8";

  /** Hosts by which a request names this machine. */
  private static final Set<String> LOCAL_HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");

  /**
   * Loopback addresses that count as this machine. All of 127.0.0.0/8 would be too many: a sidecar
   * forwards requests of other hosts from other loopback addresses.
   */
  private static final Set<String> LOCAL_ADDRESSES = Set.of("127.0.0.1", "0:0:0:0:0:0:0:1");

  /** Beginnings of headers of a proxy, whose own address says nothing about the caller. */
  private static final List<String> PROXY_HEADERS =
      List.of("Forwarded", "X-Forwarded-", "X-Real-Ip", "X-Envoy-", "X-Request-Id", "Via");

  /**
   * Maximum number of pages that are made at a time: a page of streams reads the state of each
   * stream.
   */
  private static final int MAX_AT_ONCE = 2;

  private static final Duration MAX_WAIT = Duration.ofSeconds(5);

  /** Pages that are kept up to date: each is made again each second. */
  private static final int MAX_LIVE = 8;

  private static final Duration LIVE_INTERVAL = Duration.ofSeconds(1);

  /**
   * Time by which a live response is shorter than the timeout of a response: a page may take 10 s.
   * {@code page.mjs} then asks again.
   */
  private static final Duration LIVE_MARGIN = Duration.ofSeconds(11);

  /** Bytes of a body that are read, and ignored. */
  private static final int MAX_BODY = 4096;

  private static final String JSON_TYPE = "Content-Type: application/json";

  private static final String ASSETS = "/assets/";

  /** Files of the HTML pages, which say nothing about the gateway, with their types. */
  private static final Map<String, String> ASSET_TYPES =
      Map.of(
          "page.mjs", "text/javascript; charset=utf-8",
          "page.css", "text/css; charset=utf-8",
          "icon.svg", "image/svg+xml");

  private final Semaphore slots = new Semaphore(MAX_AT_ONCE);
  private final Semaphore liveSlots = new Semaphore(MAX_LIVE);
  private final DebugPages pages;
  private final HtmlPage html;
  private final PageAuthorizer authorizer;
  private final Duration liveTime;
  private final String others;

  /**
   * @param responseTime timeout of a response
   * @param others paths of the port that are not in {@code pages}
   */
  PageHandler(
      DebugPages pages,
      HtmlPage html,
      PageAuthorizer authorizer,
      Duration responseTime,
      List<String> others) {
    this.pages = pages;
    this.html = html;
    this.authorizer = authorizer;
    this.liveTime = responseTime.minus(LIVE_MARGIN);
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

  /** Forms of a page, and of the errors instead of it. */
  private enum Form {
    TEXT,
    JSON,
    LINES,
    HTML
  }

  private static Form form(HttpExchange exchange) {
    String accepted =
        String.join(",", exchange.getRequestHeaders().getOrDefault("Accept", List.of()));
    return accepted.contains("application/x-ndjson")
        ? Form.LINES
        : accepted.contains("application/json")
            ? Form.JSON
            : accepted.contains("text/html") ? Form.HTML : Form.TEXT;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String asset = path != null && path.startsWith(ASSETS) ? path.substring(ASSETS.length()) : "";
    Optional<DebugPage> page = path == null ? Optional.empty() : pages.find(path);
    // A path that begins with two slashes names another host to a browser.
    boolean isElsewhere = exchange.getRequestURI().getRawAuthority() != null;
    if (isElsewhere || (page.isEmpty() && !ASSET_TYPES.containsKey(asset))) {
      send(exchange, 404, TEXT, others);
      return;
    }
    if (page.isPresent()) {
      answer(exchange, page.get(), path);
    } else if (isRead(exchange)) {
      sendAsset(exchange, asset);
    } else {
      refuseMethod(exchange);
    }
  }

  private static boolean isRead(HttpExchange exchange) {
    String method = exchange.getRequestMethod();
    return method.equals("GET") || method.equals("HEAD");
  }

  private static void refuseMethod(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Allow", "GET, HEAD");
    send(exchange, 405, TEXT, "this page can only be read\n");
  }

  private static void sendAsset(HttpExchange exchange, String name) throws IOException {
    try (InputStream file = PageHandler.class.getResourceAsStream("assets/" + name)) {
      if (file == null) {
        throw new IllegalStateException("the program has no file " + name);
      }
      send(
          exchange,
          200,
          requireNonNull(ASSET_TYPES.get(name)),
          new String(file.readAllBytes(), UTF_8));
    }
  }

  private void answer(HttpExchange exchange, DebugPage page, String path) throws IOException {
    Form form = form(exchange);
    PageAuthorizer.Decision decision =
        page.access() == DebugPage.Access.OPEN || isLocal(exchange)
            ? PageAuthorizer.Decision.PASS
            : authorizer.decide(
                exchange.getRequestHeaders().getOrDefault("Authorization", List.of()),
                exchange.getRemoteAddress().getAddress(),
                path);
    PageAuthorizer.Verdict verdict = decision.verdict();
    if (verdict != PageAuthorizer.Verdict.PASS) {
      if (form == Form.HTML) {
        send(exchange, verdict.status(), HTML, html.refused(page, path, verdict));
      } else {
        send(exchange, verdict.status(), TEXT, verdict.text());
      }
      return;
    }
    if (!page.isAction() && !isRead(exchange)) {
      refuseMethod(exchange);
      return;
    }
    String query = exchange.getRequestURI().getRawQuery();
    try {
      if (page.maker() instanceof DebugPage.Action action) {
        sendFile(exchange, page, action);
        return;
      }
      if (form == Form.LINES
          && page.access() == DebugPage.Access.GUARDED // else any caller could take all slots
          && exchange.getRequestMethod().equals("GET")) {
        sendLines(exchange, page, path, decision.objects());
        return;
      }
      JsonObject content = content(page, path, query, decision.objects());
      switch (form) {
        case JSON, LINES -> send(exchange, 200, "application/json", GSON.toJson(content) + "\n");
        case HTML -> send(exchange, 200, HTML, html.of(page, path, page.given(query), content));
        case TEXT -> send(exchange, 200, TEXT, TextPage.of(content));
      }
    } catch (PageException e) {
      if (form == Form.HTML) {
        send(exchange, e.status(), HTML, html.failed(page, path, page.given(query), e.text()));
      } else {
        send(exchange, e.status(), TEXT, e.text() + "\n");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      send(exchange, 503, TEXT, "the gateway is shutting down\n");
    } catch (RuntimeException e) {
      log.error("the page {} could not be made", page.path(), e);
      send(exchange, 500, TEXT, "this page could not be made; the log of the gateway has why\n");
    }
  }

  /**
   * Runs an action. It takes no slot of the pages, because it mostly waits. A page of another site
   * cannot send this type of body without asking first, which is refused.
   */
  private static void sendFile(HttpExchange exchange, DebugPage page, DebugPage.Action action)
      throws IOException, PageException, InterruptedException {
    if (!exchange.getRequestMethod().equals("POST")) {
      exchange.getResponseHeaders().set("Allow", "POST");
      throw PageException.wrongMethod("this page is an action: send POST, with " + JSON_TYPE);
    }
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    if (type == null || !type.toLowerCase(Locale.ROOT).matches("application/json *(;.*)?")) {
      throw PageException.unsupportedType("this action is only for requests with " + JSON_TYPE);
    }
    if (exchange.getRequestBody().readNBytes(MAX_BODY + 1).length > MAX_BODY) {
      throw PageException.bodyTooLarge("this action reads no body: send none");
    }
    DebugPage.Download file = action.make(page.parse(exchange.getRequestURI().getRawQuery()));
    try (InputStream content = file.content()) {
      exchange
          .getResponseHeaders()
          .set("Content-Disposition", "attachment; filename=\"" + file.name() + "\"");
      begin(exchange, 200, "application/octet-stream", 0);
      content.transferTo(exchange.getResponseBody());
    }
  }

  private JsonObject content(
      DebugPage page, String path, @Nullable String query, ObjectAccess objects)
      throws PageException, InterruptedException {
    if (!slots.tryAcquire(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
      throw PageException.unavailable("other pages are being made for other requests; try again");
    }
    try {
      return DebugPages.content(page, path, query, objects);
    } finally {
      slots.release();
    }
  }

  /**
   * Sends the page again each second, as one line. The next one is made when the last one was
   * written, so a reader that is slow gets fewer, and costs nothing meanwhile.
   */
  private void sendLines(HttpExchange exchange, DebugPage page, String path, ObjectAccess objects)
      throws IOException, PageException, InterruptedException {
    page.requireRepeatable(exchange.getRequestURI().getRawQuery());
    if (!liveSlots.tryAcquire()) {
      throw PageException.unavailable(
          MAX_LIVE + " pages are kept up to date for others already; close one of them");
    }
    try {
      long begun = System.nanoTime();
      String query = exchange.getRequestURI().getRawQuery();
      String line = LINE_GSON.toJson(content(page, path, query, objects));
      // A proxy that collects answers would show nothing until the end.
      exchange.getResponseHeaders().set("X-Accel-Buffering", "no");
      begin(exchange, 200, "application/x-ndjson", 0);
      OutputStream body = exchange.getResponseBody();
      while (true) {
        body.write((line + "\n").getBytes(UTF_8));
        body.flush();
        if (System.nanoTime() - begun > liveTime.toNanos()) {
          return;
        }
        Thread.sleep(LIVE_INTERVAL);
        try {
          line = LINE_GSON.toJson(content(page, path, query, objects));
        } catch (PageException e) {
          return; // the next request gets the reason
        }
      }
    } finally {
      liveSlots.release();
    }
  }

  /**
   * Returns whether the request was sent by a process of this host, such as the end of a
   * port-forward. The name of the host shows that it is not the page of another site in a browser
   * here, whose name resolves to this machine.
   */
  private static boolean isLocal(HttpExchange exchange) {
    String host = exchange.getRequestHeaders().getFirst("Host");
    return LOCAL_ADDRESSES.contains(exchange.getRemoteAddress().getAddress().getHostAddress())
        && host != null
        && LOCAL_HOSTS.contains(host.replaceFirst(":[0-9]+$", ""))
        && exchange.getRequestHeaders().keySet().stream().noneMatch(PageHandler::isOfProxy);
  }

  private static boolean isOfProxy(String header) {
    return PROXY_HEADERS.stream()
        .anyMatch(
            begin -> header.regionMatches(/* ignoreCase= */ true, 0, begin, 0, begin.length()));
  }

  private static void send(HttpExchange exchange, int status, String type, String text)
      throws IOException {
    byte[] body = text.getBytes(UTF_8);
    if (exchange.getRequestMethod().equals("HEAD")) {
      begin(exchange, status, type, -1);
    } else {
      begin(exchange, status, type, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  /**
   * @param length 0 if it is not known, -1 without a body
   */
  private static void begin(HttpExchange exchange, int status, String type, long length)
      throws IOException {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type);
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Content-Security-Policy", HtmlPage.SECURITY_POLICY);
    exchange.sendResponseHeaders(status, length);
  }
}
