package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.PODS;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static io.watchgate.kube.ApiserverStub.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.BackoffSettings;
import io.watchgate.cache.CacheMetrics;
import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.TimeSource;
import io.watchgate.cache.TypeDefinition;
import io.watchgate.cache.TypeLease;
import io.watchgate.cache.TypeRegistry;
import io.watchgate.json.FieldPaths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import mockwebserver3.RecordedRequest;
import okhttp3.HttpUrl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests of the cache's requests after each kind of failure. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
final class ListWatchTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final CacheSettings DEFAULTS = CacheSettings.forHeap(1 << 30);
  private static final CacheSettings CACHE =
      DEFAULTS.with(
          new BackoffSettings(
              Duration.ofMillis(10),
              Duration.ofMillis(50),
              DEFAULTS.retries().markerTimeout(),
              DEFAULTS.retries().streamingListPause()));

  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  @AfterEach
  void stopTimer() {
    timer.shutdownNow();
  }

  /** Opens pods, waits for that number of objects, and returns the requests that were made. */
  private List<String> requestsUntil(int objects, String version) throws Exception {
    return requestsUntil(objects, version, LIMIT);
  }

  private List<String> requestsUntil(int objects, String version, Duration markerTimeout)
      throws Exception {
    try (KubeCluster cluster = stub.cluster(SETTINGS);
        TypeRegistry types =
            new TypeRegistry(
                new ShortMarkerCluster(cluster, markerTimeout),
                CACHE,
                TimeSource.SYSTEM,
                timer,
                Thread.ofPlatform().daemon().factory(),
                definition -> FieldPaths.NONE,
                type -> CacheMetrics.NONE);
        TypeLease pods =
            types.acquire(new TypeDefinition(PODS, "", List.of(), List.of(), "", List.of()))) {
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(pods.cache().head())
                      .isNotNull()
                      .extracting(head -> head.state().size() + " at " + head.version().digits())
                      .isEqualTo(objects + " at " + version));
    }
    int count = stub.server.getRequestCount();
    List<String> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      requests.add(kind(stub.request()));
    }
    return requests;
  }

  private static String kind(RecordedRequest request) {
    HttpUrl url = request.getUrl();
    if (url.queryParameter("sendInitialEvents") != null) {
      return "streaming list";
    }
    if (url.queryParameter("watch") != null) {
      return "watch " + url.queryParameter("resourceVersion");
    }
    if ("Exact".equals(url.queryParameter("resourceVersionMatch"))) {
      return "list at " + url.queryParameter("resourceVersion");
    }
    String token = url.queryParameter("continue");
    return "1".equals(url.queryParameter("limit"))
        ? "probe"
        : token == null ? "list" : "page " + token;
  }

  /** Returns a pod with that version. */
  private static String podAt(String version) {
    return ListPage.pod(1)
        .replace("\"resourceVersion\":\"1\"", "\"resourceVersion\":\"" + version + "\"");
  }

  private static EventStream pod(int number) {
    return new EventStream().frame("ADDED", ListPage.pod(number));
  }

  @Test
  void endlessStreamingList_isReplacedByPagedList() throws Exception {
    stub.answer(pod(7).bookmark("5", "")); // and then nothing: no marker, no end
    stub.answer(ListPage.of("9", "", 0, 2));
    stub.answer(new EventStream());
    assertThat(requestsUntil(2, "9", Duration.ofMillis(300))).startsWith("streaming list", "list");
  }

  @Test
  void serverWithoutStreamingLists_isListedByPages() throws Exception {
    stub.answer(422, ApiserverStub.JSON, status(422, "Invalid", "sendInitialEvents is forbidden"));
    stub.answer(ListPage.of("9", "one", 0, 2));
    stub.answer(ListPage.of("9", "", 2, 3));
    stub.answer(new EventStream());
    assertThat(requestsUntil(3, "9")).startsWith("streaming list", "list", "page one");
  }

  @Test
  void expiredPageToken_restartsTheList() throws Exception {
    stub.answer(422, ApiserverStub.JSON, status(422, "Invalid", "no"));
    stub.answer(ListPage.of("9", "one", 0, 2));
    stub.answer(410, ApiserverStub.JSON, status(410, "Expired", "too old"));
    stub.answer(ListPage.of("12", "two", 0, 2));
    stub.answer(ListPage.of("12", "", 2, 4));
    stub.answer(new EventStream());
    assertThat(requestsUntil(4, "12"))
        .startsWith("streaming list", "list", "page one", "list", "page two");
  }

  @Test
  void truncatedList_isDiscarded() throws Exception {
    stub.answer(422, ApiserverStub.JSON, status(422, "Invalid", "no"));
    String page = ListPage.of("9", "", 0, 5);
    stub.answer(page.substring(0, page.length() / 2));
    stub.answer(ListPage.of("12", "", 0, 1));
    stub.answer(new EventStream());
    assertThat(requestsUntil(1, "12")).startsWith("streaming list", "list", "list");
  }

  @Test
  void expiredWatch_isFollowedByList() throws Exception {
    stub.answer(
        pod(0)
            .marker("9")
            .frame("ERROR", status(410, "Expired", "too old resource version: 9 (12)")));
    stub.answer(pod(0).frame("ADDED", podAt("11")).marker("12"));
    assertThat(requestsUntil(2, "12")).startsWith("streaming list", "streaming list");
  }

  @Test
  void truncatedWatch_resumesAfterLastCompleteEvent() throws Exception {
    stub.answer(pod(0).marker("9").frame("ADDED", podAt("10")).send("{\"type\":\"ADD").end());
    stub.answer(ListPage.of("10", "", 0, 1)); // probes whether the cluster's version went back
    String present = ListPage.of("10", "", 0, 2);
    int last = present.lastIndexOf("\"resourceVersion\":\"1\"");
    stub.answer(
        present.substring(0, last)
            + present.substring(last).replace("Version\":\"1\"", "Version\":\"10\""));
    stub.answer(new EventStream().bookmark("11", ""));
    assertThat(requestsUntil(2, "11"))
        .startsWith("streaming list", "probe", "list at 10", "watch 10");
  }
}
