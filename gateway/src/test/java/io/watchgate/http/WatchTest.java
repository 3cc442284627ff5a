package io.watchgate.http;

import static io.watchgate.http.TestWatch.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.CacheSettings;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Watches, as an apiserver 1.36.3 answers them. */
@Timeout(60)
final class WatchTest {
  private static final String MAPS = "/api/v1/configmaps";
  private static final String STREAMING =
      "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

  /** No bookmark comes by itself. */
  private static final HttpSettings QUIET =
      TestServer.SETTINGS.withBookmarkInterval(Duration.ofHours(1));

  private final TestCatalog catalog = new TestCatalog();
  private TestServer server = new TestServer(catalog, null, QUIET);

  @AfterEach
  void everySourceIsGivenBack() {
    server.close();
    await().untilAsserted(() -> assertThat(catalog.openSources()).isZero());
  }

  private void serve(HttpSettings settings) {
    server.close();
    server = new TestServer(catalog, null, settings);
  }

  private TestWatch watch(String pathAndQuery) {
    return TestWatch.open(server, pathAndQuery);
  }

  private static String json(TestObject object) {
    return object.json(TestCatalog.CONFIG_MAPS);
  }

  private static String bookmark(String version) {
    return frame(
        "BOOKMARK",
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%s\"}}"
            .formatted(version));
  }

  private static String endOfInitialEvents(String version) {
    return frame(
        "BOOKMARK",
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%s\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}"
            .formatted(version));
  }

  // ---- forms

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/v1/configmaps?watch=true",
        "/api/v1/configmaps?watch=1",
        "/api/v1/configmaps?watch=yes",
        "/api/v1/configmaps?watch=no",
        "/api/v1/configmaps?watch=2",
        "/api/v1/configmaps?watch=",
        "/api/v1/configmaps?watch",
        "/api/v1/configmaps?watch=1&watch=0",
        "/api/v1/configmaps?watch=1&limit=1",
        "/api/v1/configmaps?watch=1&resourceVersion=0",
        "/api/v1/namespaces/a/configmaps?watch=1",
        "/api/v1/namespaces//configmaps?watch=1",
        "/api/v1/watch/configmaps",
        "/api/v1/watch/configmaps?watch=false",
        "/api/v1/watch/namespaces/a/configmaps",
        "/api/v1/watch/namespaces/a/configmaps/c1",
        "/api/v1/watch/namespaces/a/configmaps/c1?fieldSelector=metadata.name%3Dc1"
      })
  void aWatchFromNowhereTellsWhatThereIsAndThenWhatChanges(String path) {
    TestObject created = catalog.putConfigMap("a", "c1");
    try (TestWatch watch = watch(path)) {
      assertThat(watch.response.statusCode()).isEqualTo(200);
      assertThat(watch.response.headers().firstValue("Content-Type")).contains("application/json");
      assertThat(watch.response.headers().firstValue("Transfer-Encoding")).contains("chunked");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(created)));
      TestObject changed = catalog.putConfigMap("a", "c1");
      assertThat(watch.next()).isEqualTo(frame("MODIFIED", json(changed)));
      String version = catalog.delete(TestCatalog.CONFIG_MAPS, changed);
      assertThat(watch.next())
          .isEqualTo(frame("DELETED", json(changed.at(Long.parseLong(version)))));
    }
  }

  @Test
  void theLegacyPathOfOneObjectKnowsNoOther() {
    catalog.putConfigMap("a", "c1");
    TestObject other = catalog.putConfigMap("a", "c2");
    try (TestWatch watch = watch("/api/v1/watch/namespaces/a/configmaps/c2")) {
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(other)));
    }
    HttpResponse<String> refused =
        server.get("/api/v1/watch/namespaces/a/configmaps/c2?fieldSelector=metadata.name%3Dc1");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("fieldSelector metadata.name doesn't match requested name");
  }

  @Test
  void aWatchOfNothingIsTakenUpAtOnce() {
    try (TestWatch watch = watch("/api/v1/namespaces/none/configmaps?watch=1")) {
      assertThat(watch.response.statusCode()).isEqualTo(200);
    }
  }

  @Test
  void whenTheClientLeavesTheWatchIsGivenBack() {
    TestWatch watch = watch(MAPS + "?watch=1");
    assertThat(catalog.openSources()).isEqualTo(1);
    watch.close();
    await()
        .untilAsserted(
            () -> {
              catalog.putConfigMap("a", "c1"); // a write tells that nobody is there
              assertThat(catalog.openSources()).isZero();
            });
  }

  // ---- from a version

  @Test
  void aWatchFromAVersionTellsWhatCameAfterIt() {
    catalog.putConfigMap("a", "c1");
    TestObject second = catalog.putConfigMap("a", "c2");
    TestObject third = catalog.putConfigMap("a", "c1");
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=101")) {
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(second)));
      assertThat(watch.next()).isEqualTo(frame("MODIFIED", json(third)));
      TestObject fourth = catalog.putConfigMap("a", "c4");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(fourth)));
    }
  }

  @Test
  void aWatchFromTheFutureIsSilentUpToThere() {
    serve(TestServer.SETTINGS.withBookmarkInterval(Duration.ofMillis(1)));
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=102&allowWatchBookmarks=1")) {
      catalog.putConfigMap("a", "c1");
      catalog.putConfigMap("a", "c2");
      TestObject after = catalog.putConfigMap("a", "c3");
      assertThat(watch.next()).isIn(bookmark("102"), frame("ADDED", json(after)));
    }
  }

  @Test
  void withoutInitialEventsAWatchBeginsNow() {
    catalog.putConfigMap("a", "c1");
    String query = "?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";
    try (TestWatch watch = watch(MAPS + query)) {
      TestObject after = catalog.putConfigMap("a", "c2");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(after)));
    }
  }

  @Test
  void aForgottenVersionIsAnErrorWithinTheStream() {
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=7")) {
      assertThat(watch.response.statusCode()).isEqualTo(200);
      assertThat(watch.rest())
          .containsExactly(
              frame(
                  "ERROR",
                  "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\"message\":\"too"
                      + " old resource version: 7 (100)\",\"reason\":\"Expired\",\"code\":410}"));
    }
  }

  // ---- streaming lists and bookmarks

  @ParameterizedTest
  @CsvSource({"'',1", "&resourceVersion=0,0", "&resourceVersion=101,0"})
  void aStreamingListSaysWhereItEnds(String from, int refreshed) {
    TestObject one = catalog.putConfigMap("a", "c2");
    TestObject two = catalog.putConfigMap("a", "c1");
    try (TestWatch watch = watch(MAPS + "?watch=1&allowWatchBookmarks=1" + STREAMING + from)) {
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(two)));
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(one)));
      assertThat(watch.next()).isEqualTo(endOfInitialEvents("102"));
      TestObject three = catalog.putConfigMap("a", "c3");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(three)));
      assertThat(catalog.refreshed()).isEqualTo(refreshed);
    }
  }

  @Test
  void anOldWatchFromNowhereIsAStreamingListIfItTakesBookmarks() {
    try (TestWatch watch = watch(MAPS + "?watch=1&allowWatchBookmarks=true")) {
      assertThat(watch.next()).isEqualTo(endOfInitialEvents("100"));
    }
  }

  @Test
  void aStreamingListOfTheFutureIsTooLarge() {
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=999" + STREAMING)) {
      assertThat(watch.rest())
          .singleElement()
          .asString()
          .startsWith("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",")
          .contains("Too large resource version: 999, current: 100", "\"code\":504}");
    }
  }

  @Test
  void bookmarksTellHowFarAQuietWatchIs() {
    serve(TestServer.SETTINGS.withBookmarkInterval(Duration.ofMillis(20)));
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=100&allowWatchBookmarks=1")) {
      assertThat(watch.next()).isEqualTo(bookmark("100"));
      String version = catalog.progress(TestCatalog.CONFIG_MAPS);
      String last = watch.next();
      while (last.equals(bookmark("100"))) {
        last = watch.next();
      }
      assertThat(last).isEqualTo(bookmark(version));
    }
  }

  @Test
  void whoDoesNotAskForBookmarksGetsNone() {
    serve(TestServer.SETTINGS.withBookmarkInterval(Duration.ofMillis(1)));
    assertThat(watch(MAPS + "?watch=1&timeoutSeconds=1").rest()).isEmpty();
  }

  @Test
  void shortlyBeforeItsEndAWatchGetsABookmark() {
    assertThat(
            watch(MAPS + "?watch=1&resourceVersion=100&allowWatchBookmarks=1&timeoutSeconds=3")
                .rest())
        .containsExactly(bookmark("100"));
    assertThat(
            watch(MAPS + "?watch=1&resourceVersion=100&allowWatchBookmarks=1&timeoutSeconds=2")
                .rest())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /api/v1/pods        | {"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"100"@},"spec":{"containers":null},"status":{}}
          /apis/x.io/v1/widgets | {"apiVersion":"x.io/v1","kind":"Widget","metadata":{@"resourceVersion":"100"}}
          """)
  void aBookmarkIsAnEmptyObjectOfItsType(String path, String object) {
    String end = "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";
    String marked = object.replace("\"@", "\"," + end).replace("@\"", end + ",\"");
    try (TestWatch watch = watch(path + "?watch=1&allowWatchBookmarks=1")) {
      assertThat(watch.next()).isEqualTo(frame("BOOKMARK", marked));
    }
  }

  // ---- the end

  @ParameterizedTest
  @ValueSource(strings = {"-1", "-9223372036854775808", "9223372037", "9223372036854775807"})
  void aTimeoutThatHasPassedEndsTheWatchAtOnce(String seconds) {
    catalog.putConfigMap("a", "c1");
    assertThat(watch(MAPS + "?watch=1&timeoutSeconds=" + seconds).rest()).isEmpty();
  }

  @Test
  void withoutATimeoutTheServerChoosesOne() {
    serve(QUIET.withWatchTimeout(Duration.ofMillis(50)));
    assertThat(watch(MAPS + "?watch=1").rest()).isEmpty();
    assertThat(watch(MAPS + "?watch=1&timeoutSeconds=0").rest()).isEmpty();
  }

  @Test
  void whenTheTypeGoesTheWatchEnds() {
    TestObject map = catalog.putConfigMap("a", "c1");
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=100")) {
      catalog.remove(TestCatalog.CONFIG_MAPS);
      assertThat(watch.rest()).containsExactly(frame("ADDED", json(map)));
    }
    assertThat(server.get(MAPS + "?watch=1").statusCode()).isEqualTo(404);
  }

  @Test
  void whenTheServerClosesItsWatchesEndCleanly() {
    TestObject map = catalog.putConfigMap("a", "c1");
    try (TestWatch watch = watch(MAPS + "?watch=1")) {
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(map)));
      server.close();
      assertThat(watch.next()).isEqualTo("END");
    }
  }

  @Test
  void aWatchThatIsNotReadEndsOnceTooMuchChanged() throws IOException {
    CacheSettings small =
        CacheSettings.forHeap(1 << 30)
            .withHistory(Duration.ofHours(1), 1 << 16)
            .withLaggardBytes(1 << 16);
    TestCatalog busy = new TestCatalog(small);
    try (TestServer other = new TestServer(busy, null, QUIET);
        TestWatch watch = TestWatch.open(other, MAPS + "?watch=1")) {
      String padding = ",\"data\":{\"a\":\"" + "x".repeat(60_000) + "\"}";
      // More than any buffer on the way takes.
      for (int i = 0; i < 1_000; i++) {
        busy.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c").with(padding));
      }
      List<String> read = watch.rest();
      assertThat(read).hasSizeLessThan(1_000).allMatch(line -> line.endsWith("\"}}}"));
      await().untilAsserted(() -> assertThat(busy.openSources()).isZero());
    }
  }

  @Test
  void beyondTheBoundAWatchIsToldToComeLater() {
    serve(QUIET.withMaxWatches(1));
    TestWatch first = watch(MAPS + "?watch=1");
    HttpResponse<String> second = server.get(MAPS + "?watch=1");
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.headers().firstValue("Retry-After")).contains("1");
    assertThat(second.body()).isEqualTo("Too many requests, please try again later.\n");
    catalog.remove(TestCatalog.CONFIG_MAPS);
    assertThat(first.next()).isEqualTo("END");
    await()
        .untilAsserted(
            () -> {
              try (TestWatch third = watch("/api/v1/pods?watch=1")) {
                assertThat(third.response.statusCode()).isEqualTo(200);
              }
            });
  }

  @Test
  void aQuietWatchOutlivesTheIdleTimeout() {
    serve(QUIET.withIdleTimeout(Duration.ofMillis(50)));
    // Its own timeout is twenty times as long: a cut stream would throw.
    assertThat(watch(MAPS + "?watch=1&timeoutSeconds=1").rest()).isEmpty();
  }

  // ---- selectors

  @Test
  void whatStopsMatchingIsDeletedWithItsOldContent() {
    String query = "?watch=1&labelSelector=app%3Dweb";
    try (TestWatch watch = watch(MAPS + query)) {
      TestObject in = put("web");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(in)));
      TestObject changed = put("web");
      assertThat(watch.next()).isEqualTo(frame("MODIFIED", json(changed)));
      TestObject out = put("api");
      assertThat(watch.next()).isEqualTo(frame("DELETED", json(changed.at(out.version()))));
      put("api");
      TestObject back = put("web");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(back)));
      TestObject outAgain = put("api");
      assertThat(watch.next()).isEqualTo(frame("DELETED", json(back.at(outAgain.version()))));
      catalog.delete(TestCatalog.CONFIG_MAPS, outAgain);
      TestObject anew = put("web");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(anew)));
    }
  }

  private TestObject put(String app) {
    return catalog.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c1").labelled("app", app));
  }

  @Test
  void anotherNamespaceIsNotSeen() {
    try (TestWatch watch = watch("/api/v1/namespaces/a/configmaps?watch=1")) {
      catalog.putConfigMap("ab", "c1");
      TestObject ours = catalog.putConfigMap("a", "c1");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(ours)));
    }
  }

  // ---- refusals before the stream

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          resourceVersion=abc       | 500 | "message":"resourceVersion: Invalid value: \\"abc\\": strconv.ParseUint: parsing \\"abc\\": invalid syntax","code":500
          sendInitialEvents=true    | 422 | resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan
          sendInitialEvents=false   | 422 | sendInitialEvents requires setting resourceVersionMatch to NotOlderThan
          resourceVersionMatch=NotOlderThan | 422 | resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided
          resourceVersionMatch=Exact&sendInitialEvents=false | 422 | [resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: \\"Exact\\": supported values: \\"NotOlderThan\\"]
          continue=abc              | 422 | resourceVersionMatch is forbidden when continue is provided
          limit=abc                 | 400 | parsing \\"abc\\": invalid syntax
          timeoutSeconds=1s         | 400 | parsing \\"1s\\": invalid syntax
          timeoutSeconds=9223372036854775808 | 400 | value out of range
          labelSelector=a%3D1%3D2   | 400 | found '='
          fieldSelector=spec.x%3D1  | 400 | is not a known field selector
          """)
  void whatCannotBeWatchedIsRefused(String query, int code, String text) {
    HttpResponse<String> answer = server.get(MAPS + "?watch=1&" + query);
    assertThat(answer.statusCode()).isEqualTo(code);
    assertThat(answer.body()).contains(text);
  }

  @Test
  void aPageTokenDoesNotDisturbAWatchFromAVersion() {
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=100&continue=abc")) {
      assertThat(watch.response.statusCode()).isEqualTo(200);
    }
  }
}
