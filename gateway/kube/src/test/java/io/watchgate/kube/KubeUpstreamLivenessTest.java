package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.EVENTS;
import static io.watchgate.kube.ApiserverStub.LONG;
import static io.watchgate.kube.ApiserverStub.PODS;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static io.watchgate.kube.ApiserverStub.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.Upstream.End;
import io.watchgate.cache.Upstream.Listed;
import io.watchgate.cache.Upstream.WatchOutcome;
import io.watchgate.cache.UpstreamFailure.Transport;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import okhttp3.Protocol;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Tests of the end of calls by silence, by timeout, by a dead connection, or by a close. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
final class KubeUpstreamLivenessTest {
  private static final WatchOutcome EARLY = new WatchOutcome(null, End.EARLY);
  private static final Duration SHORT = Duration.ofMillis(300);

  /** Also the time for what must succeed: a busy machine may pause for a while. */
  private static final Duration ENOUGH = Duration.ofSeconds(4);

  /** Time for what must succeed, in tests that wait for it once. */
  private static final Duration AMPLE = Duration.ofSeconds(15);

  @RegisterExtension private final ApiserverStub stub = new ApiserverStub();
  private final Recorder recorder = new Recorder();
  private final EventStream stream = new EventStream();

  @Test
  void watchSilentAfterBookmark_ends() throws Exception {
    stub.answer(stream.bookmark("5", ""));
    KubeSettings hasty = SETTINGS.with(new WatchTimeouts(LONG, LONG, ENOUGH));
    try (KubeUpstream pods = stub.upstream(PODS, hasty)) {
      assertThat(pods.watch("1", recorder)).isEqualTo(new WatchOutcome(null, End.SILENT));
    }
    assertThat(recorder.seen).hasSize(1);
  }

  /** An apiserver with {@code --watch-cache=false} sends none, of any type. */
  @Test
  void typeWithoutBookmarks_mayBeSilent() throws Exception {
    KubeSettings hasty = SETTINGS.with(new WatchTimeouts(LONG, LONG, SHORT));
    stub.answer(stream.frame("ADDED", "{}"));
    try (KubeUpstream pods = stub.upstream(PODS, hasty)) {
      CompletableFuture<WatchOutcome> watch =
          BackgroundWatch.start(() -> pods.watch("1", recorder));
      await().until(() -> recorder.seen.size() == 1);
      await().pollDelay(SHORT.multipliedBy(3)).until(() -> !watch.isDone());
      stream.bookmark("5", "");
      assertThat(watch).succeedsWithin(LONG).isEqualTo(new WatchOutcome(null, End.SILENT));
      // After silence, the next watch must find out again whether bookmarks are sent.
      EventStream next = new EventStream().frame("ADDED", "{}");
      stub.answer(next);
      CompletableFuture<WatchOutcome> again =
          BackgroundWatch.start(() -> pods.watch("5", recorder));
      await().until(() -> recorder.seen.size() == 3);
      await().pollDelay(SHORT.multipliedBy(3)).until(() -> !again.isDone());
    }
  }

  @Test
  void watchEndingAsRequested_isDue() throws Exception {
    stub.answer(stream.frame("ADDED", "{}"));
    KubeSettings brief = SETTINGS.with(new WatchTimeouts(Duration.ofSeconds(1), LONG, LONG));
    try (KubeUpstream pods = stub.upstream(PODS, brief)) {
      CompletableFuture<WatchOutcome> watch =
          BackgroundWatch.start(() -> pods.watch("1", recorder));
      await().pollDelay(Duration.ofMillis(1100)).until(() -> recorder.seen.size() == 1);
      stream.end();
      assertThat(watch).succeedsWithin(LONG).isEqualTo(new WatchOutcome(null));
    }
  }

  @Test
  void bookmarks_keepAWatchOpen() throws Exception {
    KubeSettings settings = SETTINGS.with(new WatchTimeouts(LONG, LONG, ENOUGH));
    EventStream quiet = new EventStream().frame("ADDED", "{}"); // with which the answer begins
    stub.answer(quiet);
    try (KubeUpstream events = stub.upstream(EVENTS, settings)) {
      CompletableFuture<WatchOutcome> quietWatch =
          BackgroundWatch.start(() -> events.watch("1", recorder));
      stub.request();
      try (KubeUpstream pods = stub.upstream(PODS, settings)) {
        BookmarkedWatch watch = new BookmarkedWatch();
        for (int runs = 1; watch.endsAfterPause(pods) && runs < 10; runs++) {
          watch = new BookmarkedWatch();
        }
      }
      assertThat(quietWatch).isNotDone();
      quiet.end();
      assertThat(quietWatch).succeedsWithin(LONG).isEqualTo(EARLY);
    }
  }

  /** Watch that gets bookmarks more often than it has to, unless the machine pauses. */
  private final class BookmarkedWatch {
    private final EventStream bookmarks = new EventStream();
    private final Recorder received = new Recorder();
    private long sentAt = System.nanoTime();
    private long largestPause;

    /**
     * Asserts that the watch stays open. Returns whether it has ended after a pause that was too
     * long to tell, so that another run must show it.
     */
    boolean endsAfterPause(KubeUpstream pods) {
      stub.answer(bookmarks);
      CompletableFuture<WatchOutcome> watch =
          BackgroundWatch.start(() -> pods.watch("1", received));
      await()
          .atMost(LONG.multipliedBy(2))
          .pollInterval(ENOUGH.dividedBy(4))
          .until(
              () -> {
                send();
                return received.seen.size() > 6 || watch.isDone();
              });
      if (watch.isDone() && largestPause > ENOUGH.toNanos() / 2) {
        return true;
      }
      assertThat(watch).isNotDone();
      return false;
    }

    private void send() {
      bookmarks.bookmark("5", "");
      largestPause = Math.max(largestPause, System.nanoTime() - sentAt);
      sentAt = System.nanoTime();
    }
  }

  @Test
  void overdueWatch_isEndedByTheClient() throws Exception {
    stub.answer(stream.frame("ADDED", "{}"));
    KubeSettings hasty =
        SETTINGS.with(new WatchTimeouts(Duration.ofSeconds(1), Duration.ofMillis(100), LONG));
    long began = System.nanoTime();
    try (KubeUpstream pods = stub.upstream(PODS, hasty)) {
      assertThat(pods.watch("1", recorder)).isEqualTo(EARLY);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofSeconds(1));
    assertThat(stub.request().getUrl().queryParameter("timeoutSeconds")).isIn("1", "2");
  }

  // ---- the connection

  @Test
  void unansweredRequest_usesAnotherConnection() throws Exception {
    stub.answerNothing();
    stub.answer(ListPage.of("1", "", 0, 1));
    KubeSettings hasty = SETTINGS.withRequestTimeout(AMPLE);
    try (KubeUpstream pods = stub.upstream(PODS, hasty)) {
      // A watch of pods may be silent for longer once it has begun, a list may not.
      assertThat(failure(pods.watch("1", recorder)))
          .isEqualTo(new Transport("watch pods: no answer within 15 s"));
      assertThat(pods.list(recorder)).isEqualTo(new Listed("1"));
    }
    RecordedRequest first = stub.request();
    assertThat(stub.request().getConnectionIndex()).isNotEqualTo(first.getConnectionIndex());
  }

  @Test
  void endlessErrorBody_timesOut() throws Exception {
    stub.server.enqueue(
        new MockResponse.Builder()
            .code(503)
            .body("x".repeat(1000))
            .throttleBody(1, 100, TimeUnit.MILLISECONDS)
            .build());
    KubeSettings hasty = KubeSettings.DEFAULT.withRequestTimeout(Duration.ofSeconds(1));
    try (KubeUpstream pods = stub.upstream(PODS, hasty)) {
      assertThat(failure(pods.watch("1", recorder)))
          .isEqualTo(new Transport("watch pods: no answer within 1 s"));
    }
  }

  @Test
  void slowPage_timesOut() throws Exception {
    stub.server.enqueue(
        new MockResponse.Builder()
            .body(ListPage.of("1", "", 0, 1000))
            .throttleBody(10, 50, TimeUnit.MILLISECONDS)
            .build());
    try (KubeUpstream pods =
        stub.upstream(
            PODS, SETTINGS.with(new KubeSettings.Timeouts(LONG, LONG, SHORT, LONG, LONG)))) {
      assertThat(failure(pods.list(recorder)))
          .isEqualTo(new Transport("list pods: not complete after 300 ms"));
    }
  }

  @Test
  void brokenConnectionInList_isTransportFailure() throws Exception {
    stub.server.enqueue(
        new MockResponse.Builder()
            .body(ListPage.of("1", "", 0, 100_000))
            .onResponseBody(new SocketEffect.CloseSocket())
            .build());
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.list(recorder)))
          .isInstanceOf(Transport.class)
          .extracting(failure -> failure.message())
          .asString()
          .startsWith("list pods: the connection to " + stub.server.url("/") + " broke");
    }
  }

  @Test
  void resetStream_isTransportFailure() throws Exception {
    stub.server.enqueue(
        new MockResponse.Builder()
            .body(ListPage.of("1", "", 0, 100_000))
            .onResponseBody(new SocketEffect.CloseStream(2))
            .build());
    try (KubeUpstream pods = stub.pods()) {
      assertThat(failure(pods.watch("1", recorder)))
          .isEqualTo(
              new Transport(
                  "watch pods: the connection to "
                      + stub.server.url("/")
                      + " broke (stream was reset: INTERNAL_ERROR)"));
    }
  }

  @Test
  void deadConnection_isDetectedByPings() throws Exception {
    // A ping must be answered before the next one is due, however busy the machine is.
    Duration pings = ENOUGH;
    stub.answer(stream.frame("ADDED", "{}"));
    try (BlackHole way = new BlackHole(stub.server.getPort());
        KubeUpstream events =
            stub.upstream(
                ApiserverStub.access(
                    stub.server.url("/").newBuilder().port(way.port()).build(),
                    stub.trusted(),
                    new UserCredentials.Token(ApiserverStub.TOKEN)),
                EVENTS, // silent by design
                SETTINGS.with(new KubeSettings.Timeouts(LONG, LONG, LONG, pings, LONG)))) {
      CompletableFuture<WatchOutcome> watch =
          BackgroundWatch.start(() -> events.watch("1", recorder));
      await().until(() -> recorder.seen.size() == 1 || watch.isDone());
      way.swallow();
      assertThat(watch)
          .succeedsWithin(LONG)
          .extracting(outcome -> failure(outcome).message())
          .asString()
          .startsWith("watch events: the connection to https://")
          .endsWith("PROTOCOL_ERROR, perhaps because a ping was not answered)");
    }
  }

  @Test
  void goAway_watchContinuesAndRequestsReconnect() throws Exception {
    stub.answer(stream.frame("ADDED", "{}"));
    stub.answerAndTakeLeave(ListPage.of("1", "", 0, 0));
    stub.answer(ListPage.of("2", "", 0, 0));
    try (KubeUpstream pods = stub.upstream(PODS, SETTINGS.withRequestTimeout(AMPLE))) {
      CompletableFuture<WatchOutcome> watch =
          BackgroundWatch.start(() -> pods.watch("1", recorder));
      await().until(() -> recorder.seen.size() == 1);
      assertThat(pods.probe()).isEqualTo(new Listed("1"));
      // A probe before the GOAWAY arrived fails: such a server no longer answers.
      await().until(() -> pods.probe().equals(new Listed("2")));
      stream.frame("ADDED", "{}");
      await().until(() -> recorder.seen.size() == 2);
      stream.end();
      assertThat(watch).succeedsWithin(LONG).isEqualTo(EARLY);
    }
    int first = stub.request().getConnectionIndex();
    assertThat(stub.request().getConnectionIndex()).isEqualTo(first);
    await().until(() -> stub.request().getConnectionIndex() != first);
  }

  @Test
  void http1Server_isSupported() throws Exception {
    stub.server.setProtocols(List.of(Protocol.HTTP_1_1));
    String frame = "{\"type\":\"ADDED\",\"object\":{}}\n";
    stub.server.enqueue(new MockResponse.Builder().chunkedBody(frame, 3).build());
    stub.answer(stream.send(frame, "{\"type\":"));
    KubeSettings hasty = SETTINGS.with(new WatchTimeouts(LONG, LONG, ENOUGH));
    try (KubeUpstream pods = stub.upstream(PODS, hasty)) {
      assertThat(pods.watch("1", recorder)).isEqualTo(EARLY);
      // Without pings, only silence reveals it.
      assertThat(pods.watch("1", recorder)).isEqualTo(new WatchOutcome(null, End.SILENT));
    }
    assertThat(recorder.seen).containsExactly("ADDED {}", "ADDED {}");
    assertThat(stub.request().getVersion()).isEqualTo("HTTP/1.1");
  }

  // ---- the end

  @Test
  void close_endsWatchAndLaterCalls() throws Exception {
    stub.answer(stream.frame("ADDED", "{}"));
    KubeUpstream pods = stub.pods();
    CompletableFuture<WatchOutcome> watch = BackgroundWatch.start(() -> pods.watch("1", recorder));
    await().until(() -> recorder.seen.size() == 1);
    pods.close();
    assertThat(watch)
        .succeedsWithin(LONG)
        .isEqualTo(new WatchOutcome(new Transport("watch pods: closed by the gateway")));
    await()
        .until(
            () -> {
              stream.frame("ADDED", "{}");
              return stream.isRefused(); // the apiserver can stop sending
            });
    assertThat(failure(pods.watch("1", recorder)))
        .isEqualTo(new Transport("watch pods: closed by the gateway"));
    assertThat(failure(pods.list(recorder)))
        .isEqualTo(new Transport("list pods: closed by the gateway"));
  }

  @Test
  void close_endsUnansweredCall() throws Exception {
    stub.answerNothing();
    KubeUpstream pods = // which would wait longer for an answer than the test does for the end
        stub.upstream(PODS, KubeSettings.DEFAULT.withRequestTimeout(LONG.multipliedBy(2)));
    CompletableFuture<WatchOutcome> watch = BackgroundWatch.start(() -> pods.watch("1", recorder));
    stub.request();
    pods.close();
    assertThat(watch)
        .succeedsWithin(LONG)
        .isEqualTo(new WatchOutcome(new Transport("watch pods: closed by the gateway")));
  }
}
