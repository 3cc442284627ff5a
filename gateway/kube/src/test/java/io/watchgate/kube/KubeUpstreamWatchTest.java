package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.LONG;
import static io.watchgate.kube.ApiserverStub.PODS;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static io.watchgate.kube.ApiserverStub.failure;
import static io.watchgate.kube.ApiserverStub.status;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.Upstream;
import io.watchgate.cache.Upstream.End;
import io.watchgate.cache.Upstream.WatchOutcome;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamFailure.Expired;
import io.watchgate.cache.UpstreamFailure.Malformed;
import io.watchgate.cache.UpstreamFailure.NotYetReached;
import io.watchgate.cache.UpstreamFailure.Transport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the reports of a watch, and of its end. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
final class KubeUpstreamWatchTest {
  private static final WatchOutcome EARLY = new WatchOutcome(null, End.EARLY);
  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();
  private final Recorder recorder = new Recorder();
  private final EventStream stream = new EventStream();

  @Test
  void changes_areReportedInOrder() throws Exception {
    stub.answer(stream);
    try (KubeUpstream pods = stub.pods()) {
      CompletableFuture<WatchOutcome> watch =
          BackgroundWatch.start(() -> pods.watch("529", recorder));
      stream.frame("ADDED", "{\"a\":1}");
      await().until(() -> recorder.seen.size() == 1);
      stream.frame("MODIFIED", "{\"a\":2}").bookmark("600", "");
      await().until(() -> recorder.seen.size() == 3);
      stream.frame("DELETED", "{\"a\":3}").end();
      assertThat(watch).succeedsWithin(LONG).isEqualTo(EARLY);
    }
    assertThat(recorder.seen)
        .containsExactly(
            "ADDED {\"a\":1}", "MODIFIED {\"a\":2}", "PROGRESS 600", "DELETED {\"a\":3}");
    RecordedRequest request = stub.request();
    assertThat(request.getHeaders().get("Accept-Encoding")).isEqualTo("identity");
    assertThat(request.getUrl().encodedPath()).isEqualTo("/api/v1/pods");
    assertThat(request.getUrl().queryParameterNames())
        .containsExactly("watch", "allowWatchBookmarks", "timeoutSeconds", "resourceVersion");
    assertThat(request.getUrl().queryParameter("resourceVersion")).isEqualTo("529");
    assertThat(request.getUrl().queryParameter("allowWatchBookmarks")).isEqualTo("true");
    assertThat(Integer.parseInt(request.getUrl().queryParameter("timeoutSeconds")))
        .isBetween(1800, 3600);
  }

  @Test
  void event_mayArriveByteByByte() throws Exception {
    String frame = "{\"type\":\"ADDED\",\"object\":{\"a\":\"}{\\\"é\"}}\n";
    stub.answer(stream.send(frame.split("")).end());
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.watch("1", recorder)).isEqualTo(EARLY);
    }
    assertThat(recorder.seen).containsExactly("ADDED {\"a\":\"}{\\\"é\"}");
  }

  @Test
  void truncatedEvent_isTransportFailure() throws Exception {
    stub.answer(stream.frame("ADDED", "{}").send("{\"type\":\"ADDED\",\"object\":{\"a\"").end());
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.watch("1", recorder)))
          .isEqualTo(new Transport("watch pods: cut inside an event"));
    }
    assertThat(recorder.seen).containsExactly("ADDED {}");
  }

  static Stream<Arguments> errorFrames() {
    String tooLarge = status(504, "Timeout", "Too large resource version: 9, current: 5");
    return Stream.of(
        Arguments.of(
            status(410, "Expired", "too old resource version: 1 (685)"),
            new Expired("watch pods: 410 Expired: too old resource version: 1 (685)")),
        Arguments.of(
            tooLarge,
            new NotYetReached(
                "watch pods: 504 Timeout: Too large resource version: 9, current: 5",
                Duration.ZERO)),
        Arguments.of(
            status(500, "InternalError", "etcd"),
            new UpstreamFailure.ServerError("watch pods: 500 InternalError: etcd", Duration.ZERO)));
  }

  @ParameterizedTest
  @MethodSource("errorFrames")
  void errorFrame_endsTheWatch(String status, UpstreamFailure expected) throws Exception {
    stub.answer(stream.frame("ADDED", "{}").frame("ERROR", status));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.watch("1", recorder))).isEqualTo(expected);
    }
    assertThat(recorder.seen).containsExactly("ADDED {}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '\'',
      value = {
        "<html>secret</html>; unexpected byte in JSON at 0",
        "{\"kind\":\"PodList\",\"items\":[]}; a watch event without type",
      })
  void otherAnswer_isMalformedAndNotQuoted(String body, String problem) throws Exception {
    stub.answer(stream.send(body, "\n"));
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.watch("1", recorder)))
          .isEqualTo(new Malformed("watch pods: " + problem));
    }
  }

  @Test
  void oddFrames_areReportedSeparately() throws Exception {
    stub.answer(
        stream
            .send("{\"type\":\"PATCHED\",\"object\":{\"a\":\"secret\"}}", "\n")
            .send("{\"type\":\"BOOKMARK\",\"object\":{secret}}", "\n")
            .send("{\"type\":\"BOOKMARK\",\"object\":null}", "\n")
            .frame("BOOKMARK", "{}")
            .frame("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"\"}}")
            .frame("BOOKMARK", "{\"metadata\":{\"resourceVersion\":{}}}")
            .frame("BOOKMARK", "{\"metadata\":[]}")
            .frame("ADDED", "{\"a\":\"" + "x".repeat(2000) + "\"}")
            .send("{\"type\":\"ADDED\",\"object\":null}", "\n")
            .send("{\"type\":\"DELETED\",\"object\":{\"a\":]", "\n")
            .frame("BOOKMARK", "{\"metadata\":{\"resourceVersion\":7}}")
            .send("{\"type\":\"ERROR\",\"object\":{secret}}", "\n"));
    KubeSettings small = SETTINGS.with(new KubeSettings.Sizes(500, 1000));
    try (KubeUpstream pods = stub.upstream(PODS, small)) {
      assertThat(failure(pods.watch("1", recorder)))
          .isEqualTo(
              new UpstreamFailure.ServerError(
                  "watch pods: ended by an error that cannot be read", Duration.ZERO));
    }
    assertThat(recorder.seen)
        .containsExactly(
            "an event of an unknown type",
            "a bookmark that cannot be read",
            "a bookmark that cannot be read",
            "ADDED a JSON value is larger than the limit of 1000 bytes",
            "ADDED null",
            "DELETED {\"a\":]");
  }

  @Test
  void sinkException_isRethrownAndEndsTheCall() throws Exception {
    stub.answer(stream.frame("ADDED", "{}"));
    try (KubeUpstream pods = stub.pods()) {
      assertThatThrownBy(
              () ->
                  pods.watch(
                      "1",
                      new Upstream.WatchSink() {
                        @Override
                        public Upstream.SinkResult event(
                            Upstream.EventType type, byte[] b, int from, int to) {
                          throw new IllegalStateException("full");
                        }

                        @Override
                        public Upstream.SinkResult bookmark(
                            String version, Upstream.BookmarkKind kind) {
                          return Upstream.SinkResult.CONTINUE;
                        }
                      }))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  private enum Full implements Upstream.Stop {
    FULL
  }

  @Test
  void sinkStop_endsTheCall() throws Exception {
    stub.answer(stream.frame("ADDED", "{}").frame("ADDED", "{\"a\":1}"));
    AtomicInteger events = new AtomicInteger();
    try (KubeUpstream pods = stub.pods()) {
      WatchOutcome outcome =
          pods.watch(
              "1",
              new Upstream.WatchSink() {
                @Override
                public Upstream.SinkResult event(
                    Upstream.EventType type, byte[] b, int from, int to) {
                  events.incrementAndGet();
                  return Full.FULL;
                }

                @Override
                public Upstream.SinkResult bookmark(String version, Upstream.BookmarkKind kind) {
                  return Upstream.SinkResult.CONTINUE;
                }
              });
      assertThat(outcome).isEqualTo(WatchOutcome.stopped(Full.FULL));
    }
    assertThat(events).hasValue(1);
  }

  @Test
  void largestEtcdEvent_isRead() throws Exception {
    String large = "{\"data\":\"" + "x".repeat(3 << 19) + "\"}";
    stub.answer(stream.frame("ADDED", large).frame("ADDED", "{}").end());
    try (KubeUpstream pods = stub.pods()) {
      assertThat(pods.watch("1", recorder)).isEqualTo(EARLY);
    }
    assertThat(recorder.seen).containsExactly("ADDED " + large, "ADDED {}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0"})
  void watchWithoutVersion_isRejected(String version) throws Exception {
    try (KubeUpstream pods = stub.pods()) {
      assertThatThrownBy(() -> pods.watch(version, recorder))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
