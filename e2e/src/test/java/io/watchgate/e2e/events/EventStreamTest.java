package io.watchgate.e2e.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.watchgate.browser.BrowserSettings;
import io.watchgate.e2e.GatewaySetup;
import io.watchgate.e2e.GatewayUnderTest;
import io.watchgate.e2e.MetricsText;
import io.watchgate.e2e.apiserver.Apiserver;
import io.watchgate.e2e.apiserver.WithSharedApiserver;
import io.watchgate.e2e.kube.Cluster;
import io.watchgate.e2e.kube.Json;
import io.watchgate.e2e.kube.Resource;
import io.watchgate.http.HttpSettings;
import io.watchgate.server.KubeApiSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Watches as server-sent events: content, resuming, bad input, origins, readers that do not read.
 */
@WithSharedApiserver
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class EventStreamTest {
  private static final String NAMESPACE = "event-streams";
  private static final String CONFIG_MAPS = "resource=configmaps&namespace=" + NAMESPACE;
  private static final String ORIGIN = "https://dashboard.example:8443";
  private static final BrowserSettings BROWSERS =
      new BrowserSettings(50, Set.of(ORIGIN), Duration.ofMillis(200), Duration.ofSeconds(10));

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private Apiserver apiserver;
  private Cluster cluster;
  private GatewayUnderTest gateway;

  @BeforeAll
  void start(Apiserver shared) {
    apiserver = shared;
    cluster = shared.cluster();
    cluster.createNamespace(NAMESPACE);
    gateway = gateway(GatewaySetup.AS_SERVED, settings().with(BROWSERS));
  }

  @AfterAll
  void stop() {
    gateway.close();
    http.close();
  }

  private static KubeApiSettings settings() {
    return KubeApiSettings.at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  private GatewayUnderTest gateway(GatewaySetup setup, KubeApiSettings settings) {
    return GatewayUnderTest.startWithKubeApi(apiserver.kubeconfig(), setup, settings);
  }

  private static URI uri(GatewayUnderTest at, String query) {
    return URI.create("http://127.0.0.1:" + at.kubePort() + "/v1/watch?" + query);
  }

  private EventReader open(String query, String... headers) {
    return EventReader.open(http, uri(gateway, query), headers);
  }

  private HttpResponse<String> send(String method, String query, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(gateway, query))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static JsonNode configMap(String name, String labels, String text) {
    return Json.parse(
        """
        {"apiVersion":"v1","kind":"ConfigMap",
         "metadata":{"namespace":"%s","name":"%s","labels":%s},"data":{"text":"%s"}}
        """
            .formatted(NAMESPACE, name, labels, text));
  }

  private void write(String name) {
    cluster.create(Resource.CONFIGMAPS, configMap(name, "{\"of\":\"" + name + "\"}", "first"));
  }

  private double metric(GatewayUnderTest of, String name) {
    try {
      URI uri = URI.create("http://127.0.0.1:" + of.httpPort() + "/metrics");
      HttpRequest request = HttpRequest.newBuilder(uri).build();
      return new MetricsText(http.send(request, HttpResponse.BodyHandlers.ofString()).body())
          .sum(name);
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  // ---- content

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void snapshotAndChanges_areEvents(HttpClient.Version version) {
    String name = "content-" + version.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    write(name);
    try (HttpClient client = HttpClient.newBuilder().version(version).build();
        EventReader reader =
            EventReader.open(client, uri(gateway, CONFIG_MAPS + "&labels=of%3D" + name))) {
      assertThat(reader.version()).isEqualTo(version);
      assertThat(reader.header("content-type")).isEqualTo("text/event-stream; charset=utf-8");
      assertThat(reader.header("cache-control")).isEqualTo("no-store");
      assertThat(reader.header("x-accel-buffering")).isEqualTo("no");
      EventReader.Event synced = reader.awaitFirst("synced");
      assertThat(synced.data().get("objects").asInt()).isEqualTo(1);
      assertThat(synced.id()).isNotEmpty();
      assertThat(reader.events("opened")).hasSize(1);
      assertThat(Integer.parseInt(reader.retry())).isBetween(500, 2_000);
      assertThat(reader.events("snapshot-started")).hasSize(1);
      EventReader.Event first = reader.awaitChange("added", name);
      assertThat(first.id()).as("an id within a snapshot").isEmpty();
      assertThat(first.data())
          .isEqualTo(
              Json.parse(
                  "{\"type\":\"ADDED\",\"object\":"
                      + cluster.get(Resource.CONFIGMAPS, NAMESPACE, name)
                      + "}"));

      cluster.patch(Resource.CONFIGMAPS, NAMESPACE, name, "{\"data\":{\"text\":\"second\"}}");
      assertThat(reader.awaitChange("modified", name).data().at("/object/data/text").textValue())
          .isEqualTo("second");
      cluster.delete(Resource.CONFIGMAPS, NAMESPACE, name);
      assertThat(reader.awaitChange("deleted", name).id()).isNotEmpty().isNotEqualTo(synced.id());
      await().atMost(EventReader.LIMIT).until(() -> reader.comments().size() >= 2);
    }
    await()
        .atMost(EventReader.LIMIT)
        .untilAsserted(() -> assertThat(metric(gateway, "watchgate_browser_streams")).isZero());
  }

  @Test
  void viewOfKeys_hasWhatIdentifiesTheObject() {
    write("keys");
    try (EventReader reader = open(CONFIG_MAPS + "&labels=of%3Dkeys&view=key&client=a%20page")) {
      JsonNode object = reader.awaitChange("added", "keys").data().get("object");
      assertThat(object.get("metadata").get("namespace").textValue()).isEqualTo(NAMESPACE);
      assertThat(object.has("data")).isFalse();
      assertThat(streams("client=a%20page"))
          .singleElement()
          .satisfies(row -> assertThat(row.get("api").textValue()).isEqualTo("events"));
    }
  }

  private List<JsonNode> streams(String query) {
    URI uri = URI.create("http://127.0.0.1:" + gateway.httpPort() + "/debug/streams?" + query);
    try {
      HttpRequest request =
          HttpRequest.newBuilder(uri).header("Accept", "application/json").build();
      List<JsonNode> rows = new ArrayList<>();
      Json.parse(http.send(request, HttpResponse.BodyHandlers.ofString()).body())
          .get("streams")
          .forEach(rows::add);
      return rows;
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  // ---- resuming

  @Test
  void resumedOnAnotherReplica_hasNoSnapshotNoChangeTwiceAndNoneLost() throws Exception {
    String query = CONFIG_MAPS + "&labels=for%3Dresuming";
    Map<String, String> seen = new TreeMap<>();
    AtomicBoolean stop = new AtomicBoolean();
    // With a long drain: the reader must get all messages of the end.
    GatewayUnderTest first =
        GatewayUnderTest.startWithKubeApi(
            apiserver.kubeconfig(), GatewaySetup.AS_SERVED, settings(), Duration.ofMinutes(1));
    List<String> written = new ArrayList<>();
    Thread writer =
        Thread.ofVirtual()
            .start(
                () -> {
                  for (int i = 0; !stop.get(); i++) {
                    written.add(
                        cluster
                            .create(
                                Resource.CONFIGMAPS,
                                configMap("resuming-" + i, "{\"for\":\"resuming\"}", "a"))
                            .at("/metadata/resourceVersion")
                            .textValue());
                  }
                });
    String id;
    try (EventReader before = EventReader.open(http, uri(first, query))) {
      before.awaitFirst("synced");
      await().atMost(EventReader.LIMIT).until(() -> before.changes().count() > 20);
      first.close(); // while objects are written
      before.awaitEnd();
      assertThat(before.awaitFirst("going-away").data().get("reason").textValue())
          .isEqualTo("DRAINING");
      assertThat(before.awaitFirst("problem").data().get("action").textValue()).isEqualTo("RESUME");
      id = before.lastId();
      before.changes().forEach(event -> record(event, seen));
    }
    try (GatewayUnderTest second = gateway(GatewaySetup.AS_SERVED, settings());
        EventReader after = EventReader.open(http, uri(second, query), "Last-Event-ID", id)) {
      after.awaitFirst("resumed");
      await().atMost(EventReader.LIMIT).until(() -> after.changes().count() > 20);
      stop.set(true);
      writer.join();
      String last = written.getLast();
      await()
          .atMost(EventReader.LIMIT)
          .until(() -> after.changes().anyMatch(event -> event.objectVersion().equals(last)));
      assertThat(after.events("snapshot-started")).isEmpty();
      after.changes().forEach(event -> record(event, seen));
    } finally {
      stop.set(true);
    }
    assertThat(seen.keySet()).containsExactlyInAnyOrderElementsOf(written);
  }

  private static void record(EventReader.Event event, Map<String, String> seen) {
    assertThat(seen.put(event.objectVersion(), event.objectName()))
        .as("the change to " + event.objectVersion() + " was sent before")
        .isNull();
  }

  @Test
  void idOfAnotherHistory_isAnsweredWithASnapshotOrTheLossOfTheId() {
    write("history");
    String query = CONFIG_MAPS + "&labels=of%3Dhistory";
    String id;
    try (EventReader reader = open(query)) {
      id = reader.awaitFirst("synced").id();
    }
    try (GatewayUnderTest other =
        gateway(GatewaySetup.AS_SERVED.ofCluster("another cluster"), settings())) {
      try (EventReader reader = EventReader.open(http, uri(other, query), "Last-Event-ID", id)) {
        assertThat(reader.awaitFirst("snapshot-started").data().get("reason").textValue())
            .isEqualTo("HISTORY_LOST");
        assertThat(reader.awaitFirst("synced").id()).isNotEmpty().isNotEqualTo(id);
      }
    }
    try (GatewayUnderTest other =
        gateway(GatewaySetup.AS_SERVED.ofCluster("another cluster"), settings())) {
      String failing = query + "&expired=fail";
      String idOfFailing;
      try (EventReader reader = open(failing)) {
        idOfFailing = reader.awaitFirst("synced").id();
      }
      try (EventReader reader =
          EventReader.open(http, uri(other, failing), "Last-Event-ID", idOfFailing)) {
        assertThat(reader.status()).isEqualTo(200); // after any other, a browser would stop
        EventReader.Event problem = reader.awaitFirst("problem");
        assertThat(problem.data().get("action").textValue()).isEqualTo("RESTART");
        assertThat(problem.data().get("reason").textValue()).isEqualTo("HISTORY_LOST");
        reader.awaitEnd();
        assertThat(reader.lastId()).isEmpty();
      }
    }
  }

  // ---- bad input

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          ""                                | 400 | the parameter resource is required
          resource=                         | 400 | the parameter resource is required
          resource=a/b                      | 400 | 'a/b' is not a resource type
          resource=pods&resource=nodes      | 400 | resource is given more than once
          resource=pods&label=app           | 400 | knows no parameter label of a watch. It knows resource
          resource=pods&access_token=s3cret | 400 | URLs are logged
          resource=pods&labels=a%20in%20(   | 400 | unable to parse requirement
          resource=pods&fields=no.such%3D1  | 400 | no.such
          resource=pods&namespace=          | 400 | namespace
          resource=pods&view=FULL           | 400 | Choose full, no-managed-fields, metadata, key
          resource=pods&expired=never       | 400 | Choose snapshot, fail
          resource=nosuchtype               | 404 | knows no resource type
          resource=secrets                  | 409 | are not served by this gateway
          """)
  void wrongRequest_isRefusedWithASentence(String query, int status, String sentence)
      throws Exception {
    HttpResponse<String> answer = send("GET", query);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("watchgate-action")).contains("STOP");
    JsonNode problem = Json.parse(answer.body());
    assertThat(problem.get("message").textValue()).contains(sentence).doesNotContain("s3cret");
    assertThat(problem.get("action").textValue()).isEqualTo("STOP");
    assertThat(problem.get("reason").textValue())
        .isEqualTo(answer.headers().firstValue("watchgate-reason").orElse(""));
  }

  @Test
  void damagedId_isRefused() throws Exception {
    for (String id : new String[] {"*", "AAAA"}) {
      HttpResponse<String> answer = send("GET", CONFIG_MAPS, "Last-Event-ID", id);
      assertThat(answer.statusCode()).isEqualTo(400);
      assertThat(answer.body()).contains("TOKEN_MALFORMED");
    }
  }

  @Test
  void stopAfterAnId_hasNoContent() throws Exception {
    String id;
    write("stopped");
    try (EventReader reader = open(CONFIG_MAPS + "&labels=of%3Dstopped")) {
      id = reader.awaitFirst("synced").id();
    }
    HttpResponse<String> answer = send("GET", "resource=nosuchtype", "Last-Event-ID", id);
    assertThat(answer.statusCode()).isEqualTo(204);
    assertThat(answer.headers().firstValue("watchgate-reason")).contains("TYPE_UNKNOWN");
    assertThat(answer.headers().firstValue("watchgate-action")).contains("STOP");
  }

  @Test
  void otherMethods_areNotAllowed() throws Exception {
    for (String method : new String[] {"POST", "PUT", "DELETE", "HEAD"}) {
      HttpResponse<String> answer = send(method, CONFIG_MAPS);
      assertThat(answer.statusCode()).as(method).isEqualTo(405);
      assertThat(answer.headers().firstValue("allow")).contains("GET");
    }
  }

  // ---- origins

  @Test
  void foreignOrigin_getsNothing() throws Exception {
    double slots = metric(gateway, "watchgate_streams_opened_total");
    for (String[] headers :
        new String[][] {
          {"Origin", "https://elsewhere.example"},
          {"Origin", "null"},
          {"Origin", ORIGIN + ".elsewhere.example"},
          {"Sec-Fetch-Site", "cross-site"}
        }) {
      HttpResponse<String> answer = send("GET", CONFIG_MAPS, headers);
      assertThat(answer.statusCode()).as(headers[1]).isEqualTo(403);
      assertThat(answer.body()).contains("--allowed-origin");
      assertThat(answer.headers().map()).doesNotContainKey("access-control-allow-origin");
      assertThat(send("OPTIONS", CONFIG_MAPS, headers).statusCode()).isEqualTo(403);
    }
    assertThat(metric(gateway, "watchgate_streams_opened_total")).isEqualTo(slots);
  }

  @Test
  void allowedOrigin_isServed() throws Exception {
    write("origin");
    try (EventReader reader = open(CONFIG_MAPS + "&labels=of%3Dorigin", "Origin", ORIGIN)) {
      assertThat(reader.header("access-control-allow-origin")).isEqualTo(ORIGIN);
      assertThat(reader.header("vary")).isEqualTo("Origin");
      reader.awaitChange("added", "origin");
    }
    HttpResponse<String> preflight =
        send("OPTIONS", CONFIG_MAPS, "Origin", ORIGIN, "Access-Control-Request-Method", "GET");
    assertThat(preflight.statusCode()).isEqualTo(204);
    assertThat(preflight.headers().firstValue("access-control-allow-headers").orElse(""))
        .contains("authorization", "last-event-id", "traceparent");
    String own = "http://127.0.0.1:" + gateway.kubePort();
    try (EventReader reader = open(CONFIG_MAPS, "Origin", own)) {
      reader.awaitFirst("opened");
    }
  }

  // ---- bounds

  @Test
  void streamAboveTheLimit_isToldToComeBackLater() {
    KubeApiSettings one = settings().with(BrowserSettings.DEFAULTS.withMaxStreams(1));
    try (GatewayUnderTest small = gateway(GatewaySetup.AS_SERVED, one);
        EventReader first = EventReader.open(http, uri(small, CONFIG_MAPS))) {
      first.awaitFirst("synced");
      assertThat(metric(small, "watchgate_browser_streams")).isEqualTo(1);
      try (EventReader second = EventReader.open(http, uri(small, CONFIG_MAPS))) {
        assertThat(second.status()).isEqualTo(200);
        JsonNode problem = second.awaitFirst("problem").data();
        assertThat(problem.get("reason").textValue()).isEqualTo("QUOTA");
        assertThat(problem.get("message").textValue()).contains("--max-browser-streams");
        assertThat(Integer.parseInt(second.retry())).isGreaterThan(5_000);
        second.awaitEnd();
      }
      assertThat(first.isOver()).isFalse();
    }
  }

  /** Each object is larger than what sockets of a client that does not read take. */
  @Test
  void thousandReadersThatDoNotRead_areEnded() throws Exception {
    for (int i = 0; i < 6; i++) {
      cluster.create(
          Resource.CONFIGMAPS,
          configMap("unread-" + i, "{\"for\":\"unread\"}", "x".repeat(900_000)));
    }
    // Long enough for the first reader to be there when the last one comes, on a busy machine, too.
    KubeApiSettings impatient =
        settings()
            .with(
                new HttpSettings(
                    Duration.ofSeconds(60), Duration.ofMinutes(30), Duration.ofSeconds(60), 1, 1));
    List<Socket> sockets = new ArrayList<>();
    try (GatewayUnderTest small = gateway(GatewaySetup.AS_SERVED, impatient)) {
      try (EventReader reads =
          EventReader.open(http, uri(small, CONFIG_MAPS + "&labels=of%3Dreads"))) {
        reads.awaitFirst("synced");
        for (int i = 0; i < 1_000; i++) {
          sockets.add(unread(small, CONFIG_MAPS + "&labels=for%3Dunread"));
        }
        await()
            .atMost(EventReader.LIMIT)
            .until(() -> metric(small, "watchgate_browser_streams") > 400);
        await()
            .atMost(EventReader.LIMIT)
            .until(() -> metric(small, "watchgate_browser_streams") == 1);
        write("reads");
        reads.awaitChange("added", "reads");
      }
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static Socket unread(GatewayUnderTest at, String query) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4 << 10);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), at.kubePort()));
    socket
        .getOutputStream()
        .write(
            ("GET /v1/watch?" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }
}
