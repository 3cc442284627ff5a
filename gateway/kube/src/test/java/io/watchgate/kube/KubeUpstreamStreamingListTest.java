package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.LONG;
import static io.watchgate.kube.ApiserverStub.failure;
import static io.watchgate.kube.ApiserverStub.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.Upstream.End;
import io.watchgate.cache.Upstream.WatchOutcome;
import io.watchgate.cache.UpstreamFailure.NotYetReached;
import io.watchgate.cache.UpstreamFailure.Unsupported;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of a list at the beginning of a watch. */
@Execution(ExecutionMode.CONCURRENT)
final class KubeUpstreamStreamingListTest {
  private static final WatchOutcome EARLY = new WatchOutcome(null, End.EARLY);
  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();
  private final Recorder recorder = new Recorder();
  private final EventStream stream = new EventStream();

  @Test
  void streamingList_isObjectsMarkerAndChanges() throws Exception {
    stub.answer(
        stream
            .frame("ADDED", "{\"a\":1}")
            .bookmark("3", "") // before the marker it proves nothing
            .frame("ADDED", "{\"a\":2}")
            .marker("529")
            .frame("MODIFIED", "{\"a\":3}")
            .marker("530") // a second one is like any other
            .frame("DELETED", "{\"a\":4}")
            .end());
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.watchList(LONG, recorder)).isEqualTo(EARLY);
    }
    assertThat(recorder.seen)
        .containsExactly(
            "ADDED {\"a\":1}",
            "ADDED {\"a\":2}",
            "INITIAL_EVENTS_END 529",
            "MODIFIED {\"a\":3}",
            "PROGRESS 530",
            "DELETED {\"a\":4}");
    RecordedRequest request = stub.request();
    assertThat(request.getUrl().queryParameterNames())
        .containsExactly(
            "watch",
            "allowWatchBookmarks",
            "timeoutSeconds",
            "sendInitialEvents",
            "resourceVersionMatch");
    assertThat(request.getUrl().queryParameter("resourceVersionMatch")).isEqualTo("NotOlderThan");
    assertThat(request.getHeaders().get("Accept-Encoding")).isEqualTo("identity");
  }

  @Tag("slow")
  @Test
  void missingMarker_isUnsupported() throws Exception {
    stub.answer(stream.frame("ADDED", "{}").bookmark("3", ""));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.watchList(Duration.ofSeconds(4), recorder)))
          .isEqualTo(new Unsupported("streaming list pods: no end of the list within 4 s"));
    }
    assertThat(recorder.seen).containsExactly("ADDED {}");
  }

  @Tag("slow")
  @Test
  void markerTimeout_endsWithTheMarker() throws Exception {
    stub.answer(stream.marker("3"));
    try (KubeUpstream pods = stub.pods()) {
      CompletableFuture<WatchOutcome> watch =
          BackgroundWatch.start(() -> pods.watchList(Duration.ofSeconds(4), recorder));
      long began = System.nanoTime();
      await()
          .pollInterval(Duration.ofMillis(300))
          .until(() -> System.nanoTime() - began > 5_000_000_000L);
      assertThat(watch).isNotDone();
      stream.frame("ADDED", "{}").end();
      assertThat(watch).succeedsWithin(LONG).isEqualTo(EARLY);
    }
    assertThat(recorder.seen).hasSize(2);
  }

  static Stream<Arguments> inability() {
    return Stream.of(
        Arguments.of(
            new EventStream().frame("ADDED", "{}").end(), "ended before the end of the list"),
        Arguments.of(
            new EventStream().frame("ADDED", "{}").frame("MODIFIED", "{}"),
            "a change came before the end of the list"),
        Arguments.of(
            new EventStream().frame("DELETED", "{}"), "a change came before the end of the list"),
        Arguments.of(
            new EventStream().frame("ERROR", status(500, "InternalError", "no progress")),
            "500 InternalError: no progress"));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("inability")
  void otherAnswer_isUnsupported(EventStream answer, String problem) throws Exception {
    stub.answer(answer);
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.watchList(LONG, recorder)))
          .isEqualTo(new Unsupported("streaming list pods: " + problem));
    }
    answer.end();
  }

  @Test
  void laggingServer_isNotUnsupported() throws Exception {
    stub.answer(
        stream.frame("ERROR", status(504, "Timeout", "Too large resource version: 9, current: 5")));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.watchList(LONG, recorder).failure()).isInstanceOf(NotYetReached.class);
    }
  }
}
