package io.watchgate.http;

import static io.watchgate.http.TestWatch.frame;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of watches, compared with the responses of an apiserver 1.36.3. */
@Tag("slow")
@Timeout(300)
final class HttpWatchTest extends WatchFixture {
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
  void watchWithoutVersion_sendsObjectsThenChanges(String path) {
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
  void legacyPathOfOneObject_sendsOnlyThatObject() {
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
  void watchWithoutObjects_startsAtOnce() {
    try (TestWatch watch = watch("/api/v1/namespaces/none/configmaps?watch=1")) {
      assertThat(watch.response.statusCode()).isEqualTo(200);
    }
  }

  // ---- from a version

  @Test
  void watchFromVersion_sendsLaterChanges() {
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
  void watchFromFutureVersion_skipsEarlierChanges() {
    serve(bookmarksEvery(Duration.ofMillis(1)));
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=102&allowWatchBookmarks=1")) {
      catalog.putConfigMap("a", "c1");
      catalog.putConfigMap("a", "c2");
      TestObject after = catalog.putConfigMap("a", "c3");
      assertThat(watch.next()).isIn(bookmark("102"), frame("ADDED", json(after)));
    }
  }

  @Test
  void watchWithoutInitialEvents_startsNow() {
    catalog.putConfigMap("a", "c1");
    String query = "?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";
    try (TestWatch watch = watch(MAPS + query)) {
      TestObject after = catalog.putConfigMap("a", "c2");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(after)));
    }
  }

  @Test
  void trimmedVersion_isAnErrorWithinTheStream() {
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

  // ---- selectors

  @Test
  void objectThatNoLongerMatches_isDeletedWithOldContent() {
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
      TestObject recreated = put("web");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(recreated)));
    }
  }

  private TestObject put(String app) {
    return catalog.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c1").labelled("app", app));
  }

  @Test
  void otherNamespaces_areNotSent() {
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
  void invalidWatch_isRefused(String query, int code, String text) {
    HttpResponse<String> answer = server.get(MAPS + "?watch=1&" + query);
    assertThat(answer.statusCode()).isEqualTo(code);
    assertThat(answer.body()).contains(text);
  }

  @Test
  void watchFromVersion_ignoresContinueToken() {
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=100&continue=abc")) {
      assertThat(watch.response.statusCode()).isEqualTo(200);
    }
  }
}
