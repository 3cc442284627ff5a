package io.watchgate.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.ResourceVersion;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of gets and lists, compared with the responses of an apiserver 1.36.3. */
@Tag("slow")
final class ReadTest {
  private static final String MAPS = "/api/v1/namespaces/a/configmaps";

  private final TestCatalog catalog = new TestCatalog();
  private final TestServer server = new TestServer(catalog, null, TestServer.SETTINGS);

  @AfterEach
  void closeAndAssertSourcesClosed() {
    server.close();
    // A response is complete a moment before its source is closed.
    await().untilAsserted(() -> assertThat(catalog.openSources()).isZero());
  }

  // ---- get

  @Test
  void get_returnsTheObjectAsInAWatch() {
    TestObject map = catalog.putConfigMap("a", "c1");
    HttpResponse<String> answer = server.get(MAPS + "/c1");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    assertThat(answer.body()).isEqualTo(map.json(TestCatalog.CONFIG_MAPS) + "\n");
  }

  @Test
  void get_ignoresWatchAndSelectors() {
    TestObject map = catalog.putConfigMap("a", "c1");
    assertThat(server.get(MAPS + "/c1?watch=1&labelSelector=x").body())
        .isEqualTo(map.json(TestCatalog.CONFIG_MAPS) + "\n");
  }

  @Test
  void readableSubresource_isTheObject() {
    TestObject pod = catalog.put(TestCatalog.PODS, TestObject.of("a", "p"));
    assertThat(server.get("/api/v1/namespaces/a/pods/p/status").body())
        .isEqualTo(pod.json(TestCatalog.PODS) + "\n");
  }

  @ParameterizedTest
  @CsvSource({"'',1", "'?resourceVersion=',1", "'?resourceVersion=0',0", "'?resourceVersion=1',0"})
  void onlyConsistentReads_refreshTheCache(String query, int refreshed) {
    catalog.putConfigMap("a", "c1");
    assertThat(server.get(MAPS + "/c1" + query).statusCode()).isEqualTo(200);
    assertThat(catalog.refreshed()).isEqualTo(refreshed);
    assertThat(server.get(MAPS + query).statusCode()).isEqualTo(200);
    assertThat(catalog.refreshed()).isEqualTo(2 * refreshed);
  }

  // ---- lists

  @Test
  void builtInListItems_lackKindAndApiVersion() {
    TestObject one = catalog.putConfigMap("a", "c1");
    TestObject two = catalog.putConfigMap("a", "c2").with("");
    assertThat(server.get(MAPS).body())
        .isEqualTo(
            "{\"kind\":\"ConfigMapList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"102\"},\"items\":[%s,%s]}\n"
                .formatted(one.item(), two.item()));
  }

  /** The state of a list that is not read must not be kept while everything changes. */
  @Test
  void unreadList_isCutWhenItPinsTooMuch() throws IOException {
    TestCatalog changing =
        new TestCatalog(
            CacheSettings.forHeap(256L << 20).withHistory(Duration.ofHours(1), 1L << 20));
    String data = ",\"data\":{\"k\":\"%s\"}".formatted("x".repeat(100_000));
    Runnable change =
        () -> {
          for (int i = 0; i < 160; i++) {
            changing.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c" + i).with(data));
          }
        };
    change.run();
    try (TestServer changingServer = new TestServer(changing, null, TestServer.SETTINGS);
        Socket client = new Socket()) {
      client.setReceiveBufferSize(1 << 12);
      client.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), changingServer.port()));
      client
          .getOutputStream()
          .write(("GET " + MAPS + " HTTP/1.1\r\nHost: x\r\n\r\n").getBytes(US_ASCII));
      assertThat(client.getInputStream().read()).isEqualTo('H');

      change.run();
      change.run();
      assertThat(changing.openSources()).isOne();
      change.run();

      await().untilAsserted(() -> assertThat(changing.openSources()).isZero());
    }
  }

  @Test
  void customResourceList_isSortedByKey() {
    TestObject one = catalog.put(TestCatalog.WIDGETS, TestObject.of("a", "w1"));
    catalog.put(TestCatalog.WIDGETS, TestObject.of("a", "w2"));
    String token = new ContinueToken(new ResourceVersion("102"), "a/w1").encode();
    assertThat(server.get("/apis/x.io/v1/widgets?limit=1").body())
        .isEqualTo(
            "{\"apiVersion\":\"x.io/v1\",\"items\":[%s],\"kind\":\"WidgetList\",\"metadata\":{\"continue\":\"%s\",\"remainingItemCount\":1,\"resourceVersion\":\"102\"}}\n"
                .formatted(one.json(TestCatalog.WIDGETS), token));
    assertThat(server.get("/apis/x.io/v1/namespaces/none/widgets").body())
        .isEqualTo(
            "{\"apiVersion\":\"x.io/v1\",\"items\":[],\"kind\":\"WidgetList\",\"metadata\":{\"continue\":\"\",\"resourceVersion\":\"102\"}}\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "Bad_Name"})
  void unknownNamespace_isEmpty(String namespace) {
    catalog.putConfigMap("a", "c1");
    assertThat(server.get("/api/v1/namespaces/" + namespace + "/configmaps").body())
        .endsWith("\"items\":[]}\n");
  }

  @Test
  void emptyNamespaceInPath_selectsAll() {
    catalog.putConfigMap("a", "c1");
    catalog.putConfigMap("b", "c2");
    assertThat(names(server.get("/api/v1/namespaces//configmaps").body())).isEqualTo("c1 c2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          labelSelector=app%3Dweb                     | c1
          labelSelector=app                           | c1 c2
          labelSelector=app%3Dweb&labelSelector=app%3Dapi | c1
          fieldSelector=metadata.name%3Dc2            | c2
          fieldSelector=metadata.namespace%3Db        | c3
          fieldSelector=metadata.name!%3Dc1&labelSelector=app | c2
          watch=0                                     | c1 c2 c3
          watch=FALSE                                 | c1 c2 c3
          limit=0                                     | c1 c2 c3
          limit=-1                                    | c1 c2 c3
          """)
  void list_appliesSelectors(String query, String names) {
    catalog.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c1").labelled("app", "web"));
    catalog.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c2").labelled("app", "api"));
    catalog.put(TestCatalog.CONFIG_MAPS, TestObject.of("b", "c3"));
    assertThat(names(server.get("/api/v1/configmaps?" + query).body())).isEqualTo(names);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          metadata.name%3Dc2                          | c2
          metadata.name%3D%3Dc2                       | c2
          metadata.name%3Dc3                          | ''
          metadata.name%3Dc                           | ''
          metadata.name%3D                            | ''
          metadata.name%3Dc1,metadata.name%3Dc2       | ''
          metadata.name%3Dc1,metadata.name!%3Dc2      | c1
          metadata.name%3Dc1,metadata.namespace%3Db   | ''
          """)
  void nameSelector_findsAtMostOneObject(String fields, String names) {
    catalog.putConfigMap("a", "c1");
    catalog.putConfigMap("a", "c2");
    catalog.putConfigMap("b", "c3");
    String body = server.get("/api/v1/namespaces/a/configmaps?fieldSelector=" + fields).body();
    assertThat(names(body)).isEqualTo(names);
  }

  // ---- pages

  @Test
  void pages_areOfOneVersion() {
    catalog.putConfigMap("a", "c1");
    catalog.putConfigMap("a", "c2");
    catalog.putConfigMap("a", "c3");
    String first = server.get(MAPS + "?limit=2").body();
    assertThat(names(first)).isEqualTo("c1 c2");
    assertThat(first)
        .contains("\"resourceVersion\":\"103\",\"continue\":")
        .contains("\"remainingItemCount\":1}");
    catalog.putConfigMap("a", "c0");
    catalog.putConfigMap("a", "c4");
    String second = server.get(MAPS + "?limit=2&continue=" + token(first)).body();
    assertThat(names(second)).isEqualTo("c3");
    assertThat(second).contains("\"metadata\":{\"resourceVersion\":\"103\"},");
  }

  @Test
  void listsAtVersionOfSeveralDeletes_areOfTheStateAfterThem() {
    catalog.putConfigMap("a", "c1");
    catalog.putConfigMap("a", "c2");
    TestObject third = catalog.putConfigMap("a", "c3");
    TestObject fourth = catalog.putConfigMap("a", "c4");
    String version = catalog.delete(TestCatalog.CONFIG_MAPS, third, fourth);
    String first = server.get(MAPS + "?limit=1").body();
    catalog.putConfigMap("a", "c5");

    assertThat(names(first)).isEqualTo("c1");
    assertThat(names(server.get(MAPS + "?limit=9&continue=" + token(first)).body()))
        .isEqualTo("c2");
    assertThat(
            names(
                server.get(MAPS + "?resourceVersionMatch=Exact&resourceVersion=" + version).body()))
        .isEqualTo("c1 c2");
  }

  @Test
  void lastPage_hasNoToken() {
    catalog.putConfigMap("a", "c1");
    catalog.putConfigMap("a", "c2");
    assertThat(server.get(MAPS + "?limit=2").body()).doesNotContain("continue", "remaining");
  }

  @Test
  void pageWithSelector_hasNoRemainingCount() {
    catalog.putConfigMap("a", "c1");
    catalog.putConfigMap("a", "c2");
    assertThat(server.get(MAPS + "?limit=1&fieldSelector=metadata.namespace%3Da").body())
        .contains("\"continue\":")
        .doesNotContain("remainingItemCount");
  }

  @Test
  void limit_withVersionZero_isIgnored() {
    catalog.putConfigMap("a", "c1");
    catalog.putConfigMap("a", "c2");
    assertThat(names(server.get(MAPS + "?limit=1&resourceVersion=0").body())).isEqualTo("c1 c2");
  }

  @Test
  void expiredPage_hasATokenForTheRest() {
    CacheSettings forgetful = CacheSettings.forHeap(1 << 30).withHistory(Duration.ofHours(1), 1);
    TestCatalog small = new TestCatalog(forgetful);
    try (TestServer other = new TestServer(small, null, TestServer.SETTINGS)) {
      small.putConfigMap("a", "c1");
      small.putConfigMap("a", "c2");
      String first = other.get(MAPS + "?limit=1").body();
      small.putConfigMap("a", "c3");
      small.putConfigMap("a", "c4");
      HttpResponse<String> expired = other.get(MAPS + "?limit=1&continue=" + token(first));
      assertThat(expired.statusCode()).isEqualTo(410);
      assertThat(expired.body())
          .contains("\"reason\":\"Expired\"", "The provided continue parameter is too old");
      String rest = other.get(MAPS + "?continue=" + token(expired.body())).body();
      assertThat(names(rest)).isEqualTo("c2 c3 c4");
      assertThat(rest).contains("\"resourceVersion\":\"104\"}");
    }
  }

  // ---- versions

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          resourceVersion=101                                       | c1 c2 c3 | 103
          resourceVersion=0101                                      | c1 c2 c3 | 103
          resourceVersion=0                                         | c1 c2 c3 | 103
          resourceVersion=101&resourceVersionMatch=NotOlderThan     | c1 c2 c3 | 103
          resourceVersion=0&resourceVersionMatch=NotOlderThan       | c1 c2 c3 | 103
          resourceVersion=101&resourceVersionMatch=Exact            | c1       | 101
          resourceVersion=102&resourceVersionMatch=Exact            | c1 c2    | 102
          resourceVersion=102&limit=9                               | c1 c2    | 102
          """)
  void list_isOfTheRequestedVersion(String query, String names, String version) {
    catalog.putConfigMap("a", "c1");
    catalog.putConfigMap("a", "c2");
    catalog.putConfigMap("a", "c3");
    String list = server.get(MAPS + "?" + query).body();
    assertThat(names(list)).isEqualTo(names);
    assertThat(list).contains("\"metadata\":{\"resourceVersion\":\"" + version + "\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/c1"})
  void read_waitsForAComingVersion(String name) throws InterruptedException {
    try (TestServer other = new TestServer(catalog, null, TestServer.SETTINGS, TestServer.LIMIT)) {
      Thread writer =
          Thread.ofVirtual()
              .start(
                  () -> {
                    while (catalog.openSources() == 0) {
                      Thread.onSpinWait();
                    }
                    catalog.putConfigMap("a", "c1");
                  });
      assertThat(other.get(MAPS + name + "?resourceVersion=101").body()).contains("\"c1\"");
      writer.join();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/c1"})
  void versionThatIsNotReached_isTooLarge(String name) {
    HttpResponse<String> answer = server.get(MAPS + name + "?resourceVersion=999");
    assertThat(answer.statusCode()).isEqualTo(504);
    assertThat(answer.headers().firstValue("Retry-After")).contains("1");
    assertThat(answer.body())
        .isEqualTo(
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"Timeout:"
                + " Too large resource version: 999, current: 100\","
                + "\"reason\":\"Timeout\",\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\",\"message\":\"Too"
                + " large resource version\"}],\"retryAfterSeconds\":1},\"code\":504}\n");
  }

  @Test
  void trimmedExactVersion_isExpired() {
    assertThat(server.get(MAPS + "?resourceVersion=99&resourceVersionMatch=Exact").body())
        .contains("\"message\":\"The resourceVersion for the provided list is too old.\"")
        .contains("\"code\":410");
  }

  // ---- the format

  @Test
  void largeList_isGzippedIfAccepted() throws IOException {
    for (int i = 0; i < 40; i++) {
      TestObject map = TestObject.of("a", "c" + i);
      catalog.put(
          TestCatalog.CONFIG_MAPS, map.with(",\"data\":{\"a\":\"" + "x".repeat(5_000) + "\"}"));
    }
    String plain = server.get(MAPS).body();
    HttpResponse<byte[]> zipped = bytes(MAPS);
    assertThat(zipped.headers().firstValue("Content-Encoding")).contains("gzip");
    assertThat(zipped.body().length).isLessThan(plain.length() / 10);
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(zipped.body()))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(plain);
    }
    assertThat(bytes(MAPS + "?limit=2").headers().firstValue("Content-Encoding")).isEmpty();
    assertThat(server.get(MAPS).headers().firstValue("Content-Encoding")).isEmpty();
  }

  /** A compressor would hold events back. */
  @Test
  void watch_isNotCompressed() {
    HttpResponse<byte[]> watch = bytes(MAPS + "?watch=1&resourceVersion=0&timeoutSeconds=1");
    assertThat(watch.statusCode()).isEqualTo(200);
    assertThat(watch.headers().firstValue("Content-Encoding")).isEmpty();
  }

  private HttpResponse<byte[]> bytes(String path) {
    return server.send(
        HttpRequest.newBuilder(server.uri(path)).header("Accept-Encoding", "gzip").build(),
        BodyHandlers.ofByteArray());
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      textBlock =
          """
          curl/8.0,     '',             true
          Mozilla/5.0,  '',             true
          Go-http,      '',             false
          Go-http,      'pretty=true',  true
          Go-http,      'pretty=1',     true
          curl/8.0,     'pretty=false', false
          curl/8.0,     'pretty=no',    false
          """)
  void curlAndBrowsers_getPrettyJson(String agent, String query, boolean pretty) {
    catalog.putConfigMap("a", "c1");
    String body = server.get(MAPS + "?" + query, "User-Agent", agent).body();
    assertThat(body.startsWith("{\n  \"kind\": \"ConfigMapList\",\n")).isEqualTo(pretty);
    assertThat(body.endsWith("\n")).isEqualTo(!pretty);
  }

  private static final Pattern NAME = Pattern.compile("\"metadata\":\\{\"name\":\"([^\"]+)\"");
  private static final Pattern TOKEN = Pattern.compile("\"continue\":\"([^\"]+)\"");

  static String names(String list) {
    return String.join(" ", NAME.matcher(list).results().map(match -> match.group(1)).toList());
  }

  static String token(String list) {
    Matcher matcher = TOKEN.matcher(list);
    assertThat(matcher.find()).as(list).isTrue();
    return matcher.group(1);
  }
}
