package io.watchgate.http;

import static io.watchgate.http.TestWatch.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;

/** Server with watches, and parser of their frames. */
abstract class WatchFixture {
  static final String MAPS = "/api/v1/configmaps";

  /** Settings without periodic bookmarks. */
  static final HttpSettings QUIET = TestServer.SETTINGS.withBookmarkInterval(Duration.ofHours(1));

  final TestCatalog catalog = new TestCatalog();
  TestServer server = new TestServer(catalog, null, QUIET);

  @AfterEach
  void closeAndAssertSourcesClosed() {
    server.close();
    await().untilAsserted(() -> assertThat(catalog.openSources()).isZero());
  }

  /** Starts another server of the same catalog. */
  void serve(HttpSettings settings) {
    server.close();
    server = new TestServer(catalog, null, settings);
  }

  TestWatch watch(String pathAndQuery) {
    return TestWatch.open(server, pathAndQuery);
  }

  static String json(TestObject object) {
    return object.json(TestCatalog.CONFIG_MAPS);
  }

  static String bookmark(String version) {
    return frame(
        "BOOKMARK",
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%s\"}}"
            .formatted(version));
  }

  static String endOfInitialEvents(String version) {
    return frame(
        "BOOKMARK",
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"%s\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}"
            .formatted(version));
  }
}
