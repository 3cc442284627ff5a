package io.watchgate.http;

import static io.watchgate.http.TestWatch.frame;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of streaming lists, and of bookmarks. */
@Tag("slow")
@Timeout(300)
final class WatchBookmarkTest extends WatchFixture {
  private static final String STREAMING =
      "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

  @ParameterizedTest
  @CsvSource({"'',1", "&resourceVersion=0,0", "&resourceVersion=101,0"})
  void streamingList_marksItsEnd(String from, int refreshed) {
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
  void legacyWatchWithBookmarks_isAStreamingList() {
    try (TestWatch watch = watch(MAPS + "?watch=1&allowWatchBookmarks=true")) {
      assertThat(watch.next()).isEqualTo(endOfInitialEvents("100"));
    }
  }

  @Test
  void streamingListOfAFutureVersion_isTooLarge() {
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=999" + STREAMING)) {
      assertThat(watch.rest())
          .singleElement()
          .asString()
          .startsWith("{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",")
          .contains(
              "Too large resource version: 999, current: 100",
              "\"reason\":\"ResourceVersionTooLarge\"",
              "\"code\":504}");
    }
  }

  @Test
  void quietWatch_getsBookmarks() {
    serve(bookmarksEvery(Duration.ofMillis(20)));
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
  void watchWithoutBookmarks_getsNone() {
    serve(bookmarksEvery(Duration.ofMillis(1)));
    assertThat(watch(MAPS + "?watch=1&timeoutSeconds=1").rest()).isEmpty();
  }

  @Test
  void watch_shortlyBeforeItsEnd_getsABookmark() {
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
  void bookmark_isAnEmptyObjectOfItsType(String path, String object) {
    String end = "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}";
    String marked = object.replace("\"@", "\"," + end).replace("@\"", end + ",\"");
    try (TestWatch watch = watch(path + "?watch=1&allowWatchBookmarks=1")) {
      assertThat(watch.next()).isEqualTo(frame("BOOKMARK", marked));
    }
  }
}
