package io.watchgate.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.auth.AuthMetrics;
import io.watchgate.cache.CacheWriter;
import io.watchgate.ops.pages.DebugPage;
import io.watchgate.ops.pages.DebugPages;
import io.watchgate.ops.pages.ObjectAccess;
import io.watchgate.ops.pages.PageAuthorizer;
import io.watchgate.ops.pages.PageException;
import io.watchgate.ops.pages.PageQuery;
import io.watchgate.ops.pages.RateHistory;
import io.watchgate.ops.pages.RecordingPage;
import io.watchgate.select.CompiledSelection;
import io.watchgate.select.SelectableFields;
import io.watchgate.select.SelectionException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of probes without authorization, and of metrics with it. */
final class OpsServerTest {
  private static final Semaphore SLOW_BEGUN = new Semaphore(0);
  private static final Semaphore SLOW_MAY_END = new Semaphore(0);

  /** Longer than a test takes, also on a loaded machine: pages must not end by themselves. */
  private static final Duration RESPONSE_TIME = Duration.ofMinutes(5);

  private static final CompiledSelection CONFIG_MAPS = configMaps();

  private static CompiledSelection configMaps() {
    try {
      return CompiledSelection.of(SelectableFields.of(CacheWriter.DEFINITION), List.of(), "", "");
    } catch (SelectionException e) {
      throw new AssertionError(e);
    }
  }

  private static final DebugPages PAGES =
      new DebugPages(
          List.of(
              page("/statusz", DebugPage.Access.OPEN, query -> values("version", "1")),
              page("/debug/items", DebugPage.Access.GUARDED, OpsServerTest::items),
              page(
                  "/debug/slow",
                  DebugPage.Access.GUARDED,
                  query -> {
                    SLOW_BEGUN.release();
                    SLOW_MAY_END.acquire();
                    return new JsonObject();
                  }),
              page(
                  "/debug/objects",
                  DebugPage.Access.GUARDED,
                  query -> {
                    query.objects().requireList(CONFIG_MAPS);
                    return values("seen", "yes");
                  }),
              page("/debug/items/", DebugPage.Access.GUARDED, query -> values("of", query.rest())),
              page(
                  "/debug/bug",
                  DebugPage.Access.GUARDED,
                  query -> {
                    throw new IllegalStateException("a bug");
                  }),
              new RecordingPage().page()),
          new RateHistory(new PrometheusRegistry(), InstantSource.system()));

  private static DebugPage page(String path, DebugPage.Access access, DebugPage.Content content) {
    List<DebugPage.Parameter> parameters =
        Stream.of("limit", "offset").map(name -> new DebugPage.Parameter(name, List.of())).toList();
    return new DebugPage(path, access, parameters, "A page.", content);
  }

  private static JsonObject values(String name, String value) {
    JsonObject content = new JsonObject();
    content.addProperty(name, value);
    return content;
  }

  private static JsonObject items(PageQuery query) throws PageException {
    JsonObject content = values("limit", "" + query.number("limit", 7, 1, 9));
    JsonArray rows = new JsonArray();
    rows.add(values("name", "<img src=x>\n\u001b[31m"));
    content.add("items", rows);
    return content;
  }

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final List<String> decided = new CopyOnWriteArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private volatile PageAuthorizer.Verdict verdict = PageAuthorizer.Verdict.PASS;
  private volatile ObjectAccess objects = ObjectAccess.ALL;
  private volatile String notReady = "";
  private final OpsServer server = start();

  private OpsServer start() {
    try {
      OpsServer started =
          new OpsServer(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
              registry,
              () ->
                  List.of(new ReadinessCheck("first", ""), new ReadinessCheck("second", notReady)),
              this::decide,
              PAGES,
              this::decide,
              RESPONSE_TIME);
      started.start();
      return started;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private PageAuthorizer.Decision decide(
      List<String> authorization, InetAddress from, String path) {
    decided.add(authorization + " " + from.getHostAddress() + " " + path);
    return verdict == PageAuthorizer.Verdict.PASS
        ? new PageAuthorizer.Decision(verdict, objects)
        : PageAuthorizer.Decision.refuse(verdict);
  }

  @AfterEach
  void close() {
    server.close();
    client.close();
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Else each such request keeps a thread and a descriptor for ever. */
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"GET /metr", "GET /metrics HTTP/1.1\r\nA: b\r\n"})
  void halfARequest_isGivenUpWithinSeconds(String half) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(180_000);
      socket.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
      assertThat(get("/livez").statusCode()).isEqualTo(200);
      assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(500);
    }
  }

  @ParameterizedTest
  @CsvSource({"PASS, 200", "UNKNOWN, 401", "DENIED, 403", "TOO_OFTEN, 429", "UNAVAILABLE, 503"})
  void metrics_needAuthorization(PageAuthorizer.Verdict decision, int status) throws Exception {
    new AuthCounters(registry).accessReviewed(AuthMetrics.Answer.YES);
    verdict = decision;

    HttpResponse<String> response = get("/metrics", "Authorization", "Bearer a");

    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body().contains("watchgate_access_reviews_total{answer=\"yes\"} 1.0"))
        .isEqualTo(status == 200);
    assertThat(decided).containsExactly("[Bearer a] 127.0.0.1 /metrics");
    get("/metrics");
    assertThat(decided.getLast()).isEqualTo("[] 127.0.0.1 /metrics");
    get("/metrics", "Authorization", "Bearer a", "Authorization", "Bearer b");
    assertThat(decided.getLast()).isEqualTo("[Bearer a, Bearer b] 127.0.0.1 /metrics");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/metrics/", "/metrics/x", "/metricsx", "/metrics/../metrics", "//metrics"})
  void metrics_underOtherPathSpellings_areNotServed(String path) throws Exception {
    new AuthCounters(registry);
    verdict = PageAuthorizer.Verdict.DENIED;

    assertThat(get(path).statusCode()).isIn(403, 404);
    verdict = PageAuthorizer.Verdict.PASS;
    assertThat(get(path).body()).doesNotContain("watchgate_");
  }

  @Test
  void probes_needNoAuthorization() throws Exception {
    verdict = PageAuthorizer.Verdict.DENIED;
    assertThat(get("/livez").statusCode()).isEqualTo(200);
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
    notReady = "it has not begun";
    HttpResponse<String> response = get("/readyz");

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body()).contains("it has not begun");
    assertThat(decided).isEmpty();
  }

  @Test
  void failingAuthorizer_servesNoMetrics() throws Exception {
    try (OpsServer failing =
        new OpsServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            registry,
            List::of,
            (authorization, from, path) -> {
              throw new IllegalStateException("a bug");
            },
            DebugPages.NONE,
            PageAuthorizer.LOCAL_ONLY)) {
      failing.start();
      URI page = URI.create("http://127.0.0.1:" + failing.port() + "/metrics");

      assertThatThrownBy(
              () ->
                  client.send(
                      HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void readiness_verbose_listsEachCheck() throws Exception {
    assertThat(get("/readyz?verbose").body())
        .isEqualTo("[+]first ok\n[+]second ok\nreadyz check passed\n");
    notReady = "it has not begun";

    HttpResponse<String> response = get("/readyz?verbose=1");

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body())
        .isEqualTo("[+]first ok\n[-]second failed: it has not begun\nreadyz check failed\n");
  }

  @Test
  void page_isTextOrJson() throws Exception {
    assertThat(get("/debug/items?limit=3").body())
        .isEqualTo("limit:  3\n\nNAME\n<img src=x>??[31m\n");
    HttpResponse<String> json = get("/debug/items", "Accept", "application/json");
    assertThat(json.headers().firstValue("Content-Type")).hasValue("application/json");
    assertThat(JsonParser.parseString(json.body()).getAsJsonObject().get("limit").getAsInt())
        .isEqualTo(7);
    assertThat(json.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(get("/debug/items/a%2Fb").body()).isEqualTo("of:  a/b\n");
    assertThat(decided).isEmpty();
  }

  @Test
  void page_forBrowser_isHtmlWithoutTextOfOthersAsMarkup() throws Exception {
    HttpResponse<String> page =
        get("/debug/items?limit=3", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8");

    assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'")
        .doesNotContain("unsafe");
    assertThat(page.body())
        .contains("<td>&lt;img src=x&gt;??[31m</td>", "name=\"limit\" value=\"3\"")
        .doesNotContain("<img");
    assertThat(get("/debug/items?limit=0", "Accept", "text/html"))
        .satisfies(wrong -> assertThat(wrong.statusCode()).isEqualTo(400))
        .satisfies(
            wrong ->
                assertThat(wrong.body())
                    .contains("limit=0 is no whole number from 1 to 9", "value=\"0\""));
  }

  /** A token is asked for only where it may help. */
  @ParameterizedTest
  @CsvSource({"UNKNOWN, true", "DENIED, true", "LOCAL_ONLY, false", "UNAVAILABLE, false"})
  void refusedBrowser_isAskedForTokenIfThatMayHelp(PageAuthorizer.Verdict decision, boolean asked)
      throws Exception {
    verdict = decision;
    HttpResponse<String> refused =
        get("/debug/items", "Accept", "text/html", "X-Envoy-External-Address", "10.0.0.1");
    assertThat(refused.statusCode()).isEqualTo(decision.status());
    assertThat(refused.body().contains("id=\"token\"")).isEqualTo(asked);
    assertThat(refused.body()).doesNotContain("<table");
  }

  @Test
  void filesOfPages_areOpen() throws Exception {
    verdict = PageAuthorizer.Verdict.DENIED;
    for (String file : List.of("page.mjs", "page.css", "icon.svg")) {
      assertThat(get("/assets/" + file, "X-Forwarded-For", "10.0.0.1").statusCode()).isEqualTo(200);
    }
    assertThat(get("/assets/page.mjs").headers().firstValue("Content-Type"))
        .hasValue("text/javascript; charset=utf-8");
    assertThat(get("/assets/").statusCode()).isEqualTo(404);
    assertThat(get("/assets/..%2FPageHandler.class").statusCode()).isEqualTo(404);
  }

  /** Returns the status, and reads no more of the answer than that. */
  private int statusOf(HttpRequest request) throws Exception {
    HttpResponse<InputStream> response =
        client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    response.body().close();
    return response.statusCode();
  }

  /** Each is made again each second, so their number is bounded; a reader that leaves frees one. */
  @Tag("slow")
  @Test
  void lines_goOnUntilTheReaderLeaves_andAreBounded() throws Exception {
    HttpRequest lines =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.port() + "/debug/items?limit=2"))
            .header("Accept", "application/x-ndjson")
            .build();
    List<Scanner> readers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      HttpResponse<InputStream> response =
          client.send(lines, HttpResponse.BodyHandlers.ofInputStream());
      assertThat(response.statusCode()).isEqualTo(200);
      readers.add(new Scanner(response.body(), StandardCharsets.UTF_8));
    }
    for (int i = 0; i < 2; i++) {
      assertThat(readers.getFirst().nextLine())
          .isEqualTo("{\"limit\":\"2\",\"items\":[{\"name\":\"<img src=x>\\n\\u001b[31m\"}]}");
    }

    assertThat(statusOf(lines)).isEqualTo(503);

    readers.getFirst().close();
    await().atMost(Duration.ofMinutes(3)).until(() -> statusOf(lines) == 200);
    readers.forEach(Scanner::close);
    HttpResponse<String> open = get("/statusz", "Accept", "application/x-ndjson");
    assertThat(open.headers().firstValue("Content-Type")).hasValue("application/json");
  }

  @ParameterizedTest
  @CsvSource({
    "/debug/items?limit=0, 400, 'limit=0 is no whole number from 1 to 9'",
    "/debug/items?limit=x, 400, 'limit=x is no whole number from 1 to 9'",
    "/debug/items?limt=3, 400, 'there is no parameter ''limt''; this page has limit, offset'",
    "/debug/items?limit=1&limit=2, 400, 'the parameter ''limit'' is repeated'",
    "//evil.example/debug/items, 404, 'there are '",
    "/debug/none, 404, 'there are /livez, /readyz, /metrics, /statusz'",
    "/debug, 404, 'there are '",
    "/debug/items/, 404, 'there are '",
    "/debug/bug, 500, 'the log of the gateway has why'"
  })
  void wrongRequest_errorSaysWhatIsWrong(String path, int status, String text) throws Exception {
    HttpResponse<String> response = get(path);

    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body()).contains(text).doesNotContain("IllegalState", "\tat ");
  }

  /** A caller elsewhere has the rights of its user, one on this host all of them. */
  @Test
  void pageAboutObjects_isForCallersThatMayListThem() throws Exception {
    objects =
        selection -> {
          throw PageException.denied("may not list " + selection.type().groupResource());
        };
    assertThat(get("/debug/objects").body()).contains("yes");
    for (String form : List.of("text/plain", "application/json", "application/x-ndjson")) {
      HttpResponse<String> refused =
          get("/debug/objects", "Accept", form, "X-Forwarded-For", "10.0.0.1");
      assertThat(refused.statusCode()).as(form).isEqualTo(403);
      assertThat(refused.body()).isEqualTo("may not list configmaps\n");
    }
    objects = ObjectAccess.ALL;
    assertThat(get("/debug/objects", "X-Forwarded-For", "10.0.0.1").body()).contains("yes");
  }

  /** Each second all rows up to the last one of the page would be collected. */
  @Test
  void lines_beginAtOneOfTheFirstRows() throws Exception {
    HttpResponse<String> refused =
        get("/debug/items?offset=1001", "Accept", "application/x-ndjson");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body())
        .isEqualTo(
            "offset=1001: a page that is updated each second begins at row 1000 at most; select"
                + " fewer rows by the other parameters, or ask for the page once\n");
    assertThat(get("/debug/items?offset=1001").statusCode()).isEqualTo(200);
    HttpRequest.Builder lines =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.port() + "/debug/items?offset=1000"))
            .header("Accept", "application/x-ndjson");
    assertThat(statusOf(lines.build())).isEqualTo(200);
  }

  /** Each page of the list but those that are open. */
  @ParameterizedTest
  @CsvSource({"UNKNOWN, 401", "DENIED, 403", "LOCAL_ONLY, 403"})
  void callerElsewhere_withoutRight_getsNoPage(PageAuthorizer.Verdict decision, int status)
      throws Exception {
    List<String> guarded =
        JsonParser.parseString(get("/debug/list", "Accept", "application/json").body())
            .getAsJsonObject()
            .getAsJsonArray("pages")
            .asList()
            .stream()
            .map(page -> page.getAsJsonObject().get("path").getAsString())
            .filter(path -> !path.equals("/statusz"))
            .toList();
    verdict = decision;
    assertThat(guarded).contains("/debug/list", "/debug/items", "/debug/jfr");

    for (String path : guarded) {
      // The address of a proxy says nothing about that of the caller.
      HttpResponse<String> response = get(path, "X-Forwarded-For", "10.0.0.1");
      assertThat(response.statusCode()).as(path).isEqualTo(status);
      assertThat(decided.getLast()).isEqualTo("[] 127.0.0.1 " + path);
    }
    assertThat(get("/statusz", "X-Forwarded-For", "10.0.0.1").statusCode()).isEqualTo(200);
    verdict = PageAuthorizer.Verdict.PASS;
    assertThat(get("/debug/items", "Via", "1.1 a").statusCode()).isEqualTo(200);
  }

  /** A page of another site whose name resolves to this machine, in a browser here. */
  @ParameterizedTest
  @CsvSource({
    "evil.example, 403",
    "127.0.0.1.evil.example:9443, 403",
    "localhost, 200",
    "localhost:1, 200",
    "127.0.0.1:5, 200",
    "[::1]:9443, 200"
  })
  void hostOfRequest_decidesWhetherCallerIsLocal(String host, int status) throws Exception {
    verdict = PageAuthorizer.Verdict.DENIED;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      String request =
          "GET /debug/items HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
          .startsWith("HTTP/1.1 " + status);
    }
  }

  /** So that requests for pages do not take the processor time of streams. */
  @Tag("slow")
  @Test
  void pagesAboveTheLimit_areRefusedUntilOneIsDone() throws Exception {
    List<CompletableFuture<HttpResponse<String>>> slow = new ArrayList<>();
    URI page = URI.create("http://127.0.0.1:" + server.port() + "/debug/slow");
    for (int i = 0; i < 2; i++) {
      slow.add(
          client.sendAsync(
              HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString()));
    }
    assertThat(SLOW_BEGUN.tryAcquire(2, 3, TimeUnit.MINUTES)).isTrue();

    assertThat(get("/debug/items").statusCode()).isEqualTo(503);
    assertThat(get("/livez").statusCode()).isEqualTo(200);

    SLOW_MAY_END.release(2);
    for (CompletableFuture<HttpResponse<String>> answer : slow) {
      assertThat(answer.get(3, TimeUnit.MINUTES).statusCode()).isEqualTo(200);
    }
    assertThat(get("/debug/items").statusCode()).isEqualTo(200);
  }

  private HttpRequest recording(String query) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + server.port() + "/debug/jfr" + query))
        .POST(HttpRequest.BodyPublishers.noBody())
        .header("Content-Type", "application/json")
        .build();
  }

  private static List<Recording> recordings() {
    return FlightRecorder.getFlightRecorder().getRecordings().stream()
        .filter(recording -> recording.getName().equals("watchgate"))
        .toList();
  }

  private static void awaitRecordings(int count) {
    await().atMost(Duration.ofMinutes(3)).until(() -> recordings().size() == count);
  }

  @Tag("slow")
  @Test
  void recording_isAFileOfTheFlightRecorder_withoutSecretsOfTheProcess(@TempDir Path folder)
      throws Exception {
    AuthCounters counters = new AuthCounters(registry);
    Path file = folder.resolve("file.jfr");
    CompletableFuture<HttpResponse<Path>> answer =
        client.sendAsync(recording("?seconds=1"), HttpResponse.BodyHandlers.ofFile(file));
    await()
        .atMost(Duration.ofMinutes(3))
        .until(
            () -> {
              counters.rechecked(AuthMetrics.Answer.NO, "jane");
              return answer.isDone();
            });

    assertThat(answer.get().statusCode()).isEqualTo(200);
    assertThat(answer.get().headers().firstValue("Content-Disposition").orElse(""))
        .matches("attachment; filename=\"watchgate-[0-9T-]+Z\\.jfr\"");
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("io.watchgate.Recheck"))
        .isNotEmpty()
        .allSatisfy(
            event -> {
              assertThat(event.getString("user")).isEqualTo("jane");
              assertThat(event.getString("outcome")).isEqualTo("no");
            });
    assertThat(events)
        .extracting(event -> event.getEventType().getName())
        .contains("jdk.ActiveSetting")
        .doesNotContain(
            "jdk.InitialEnvironmentVariable",
            "jdk.InitialSystemProperty",
            "jdk.JVMInformation",
            "jdk.SystemProcess",
            "jdk.JavaErrorThrow");
    assertThat(events)
        .filteredOn(event -> event.getEventType().getName().equals("jdk.ActiveSetting"))
        .extracting(event -> event.getString("value"))
        .as("CPU-time samples are on, at their rate")
        .contains("500/s");
    assertThat(recordings()).isEmpty();
  }

  @Tag("slow")
  @Test
  void secondRecording_isRefusedUntilTheFirstIsDone() throws Exception {
    CompletableFuture<HttpResponse<Void>> first =
        client.sendAsync(recording("?seconds=20"), HttpResponse.BodyHandlers.discarding());
    awaitRecordings(1);

    HttpResponse<String> second = client.send(recording(""), HttpResponse.BodyHandlers.ofString());

    assertThat(second.statusCode()).isEqualTo(409);
    assertThat(second.body()).contains("another recording is being made, until about 20");
    // It takes no slot of the pages.
    for (int i = 0; i < 4; i++) {
      assertThat(get("/debug/items").statusCode()).isEqualTo(200);
    }
    assertThat(first.get().statusCode()).isEqualTo(200);
    assertThat(
            client
                .send(recording("?seconds=1"), HttpResponse.BodyHandlers.discarding())
                .statusCode())
        .isEqualTo(200);
  }

  @Tag("slow")
  @Test
  void recordingOfAClientThatHasGone_leavesNothing() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket
          .getOutputStream()
          .write(
              "POST /debug/jfr?seconds=10 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json; charset=utf-8\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      awaitRecordings(1);
      socket.setSoLinger(true, 0); // a reset, as of a client that was killed
    }

    awaitRecordings(0);
    await("the next one may begin, a moment after the recorder has ended the last one")
        .until(
            () ->
                client
                        .send(recording("?seconds=1"), HttpResponse.BodyHandlers.discarding())
                        .statusCode()
                    == 200);
  }

  @Test
  void endOfTheServer_endsTheRecording() {
    CompletableFuture<HttpResponse<Void>> answer =
        client.sendAsync(recording("?seconds=300"), HttpResponse.BodyHandlers.discarding());
    awaitRecordings(1);

    server.close();

    awaitRecordings(0);
    assertThat(answer).failsWithin(Duration.ofMinutes(3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"?seconds=0", "?seconds=301", "?seconds=x", "?second=1"})
  void recordingOfAnotherTime_isRefused(String query) throws Exception {
    HttpResponse<String> response =
        client.send(recording(query), HttpResponse.BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body())
        .containsAnyOf("is no whole number from 1 to 300", "this page has seconds");
    assertThat(recordings()).isEmpty();
  }

  /** A page of another site can send such requests, and none of this type. */
  @ParameterizedTest
  @ValueSource(
      strings = {"text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""})
  void recording_forAnotherTypeOfBody_isRefused(String type) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/debug/jfr"))
            .POST(HttpRequest.BodyPublishers.noBody());
    if (!type.isEmpty()) {
      request.header("Content-Type", type);
    }

    HttpResponse<String> response =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(415);
    assertThat(response.body()).contains("Content-Type: application/json");
    assertThat(recordings()).isEmpty();
  }

  @Test
  void recording_withALargeBody_isRefused() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/debug/jfr"))
            .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[5_000]))
            .header("Content-Type", "application/json")
            .build();

    assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
        .isEqualTo(413);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "HEAD", "PUT", "DELETE"})
  void otherMethodsOfAnAction_areRefused(String method) throws Exception {
    for (String accept : List.of("*/*", "text/html", "application/x-ndjson")) {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/debug/jfr"))
                  .method(method, HttpRequest.BodyPublishers.noBody())
                  .header("Accept", accept)
                  .build(),
              HttpResponse.BodyHandlers.ofString());

      assertThat(response.statusCode()).isEqualTo(405);
      assertThat(response.headers().firstValue("Allow")).hasValue("POST");
    }
    assertThat(recordings()).isEmpty();
  }

  @Test
  void otherMethods_areRefused() throws Exception {
    URI page = URI.create("http://127.0.0.1:" + server.port() + "/debug/items");
    for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(page)
                  .method(method, HttpRequest.BodyPublishers.noBody())
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(method).isEqualTo(405);
      assertThat(response.headers().firstValue("Allow")).hasValue("GET, HEAD");
    }
    HttpResponse<String> head =
        client.send(
            HttpRequest.newBuilder(page).HEAD().build(), HttpResponse.BodyHandlers.ofString());
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }
}
