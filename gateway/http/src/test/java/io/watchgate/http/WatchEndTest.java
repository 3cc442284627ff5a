package io.watchgate.http;

import static io.watchgate.http.TestWatch.frame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.TimeSource;
import io.watchgate.fanout.FanoutSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the end of watches, by either side. */
@Tag("slow")
@Timeout(300)
final class WatchEndTest extends WatchFixture {
  @ParameterizedTest
  @ValueSource(strings = {"-1", "-9223372036854775808", "9223372037", "9223372036854775807"})
  void passedTimeout_endsTheWatchAtOnce(String seconds) {
    catalog.putConfigMap("a", "c1");
    assertThat(watch(MAPS + "?watch=1&timeoutSeconds=" + seconds).rest()).isEmpty();
  }

  @Test
  void missingTimeout_isChosenByTheServer() {
    serve(settings(Duration.ofHours(1), Duration.ofMillis(50), QUIET.maxWatches()));
    assertThat(watch(MAPS + "?watch=1").rest()).isEmpty();
    assertThat(watch(MAPS + "?watch=1&timeoutSeconds=0").rest()).isEmpty();
  }

  @Test
  void removedType_endsTheWatch() {
    TestObject map = catalog.putConfigMap("a", "c1");
    try (TestWatch watch = watch(MAPS + "?watch=1&resourceVersion=100")) {
      catalog.remove(TestCatalog.CONFIG_MAPS);
      assertThat(watch.rest()).containsExactly(frame("ADDED", json(map)));
    }
    assertThat(server.get(MAPS + "?watch=1").statusCode()).isEqualTo(404);
  }

  @Test
  void serverClose_endsWatchesCleanly() {
    TestObject map = catalog.putConfigMap("a", "c1");
    try (TestWatch watch = watch(MAPS + "?watch=1")) {
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(map)));
      server.closePatiently();
      assertThat(watch.next()).isEqualTo("END");
    }
  }

  @Test
  void unreadWatch_endsWithAnErrorAfterTooManyChanges() throws IOException {
    CacheSettings small =
        CacheSettings.forHeap(1 << 30)
            .withHistory(Duration.ofHours(1), 1 << 16)
            .withLaggardBytes(1 << 16);
    TestCatalog busy = new TestCatalog(small);
    try (TestServer other = new TestServer(busy, null, QUIET);
        TestWatch watch = TestWatch.open(other, MAPS + "?watch=1&resourceVersion=100")) {
      // A watch that has no position yet has no version to name, and would be cut.
      TestObject first = busy.putConfigMap("a", "first");
      assertThat(watch.next()).isEqualTo(frame("ADDED", json(first)));
      String padding = ",\"data\":{\"a\":\"" + "x".repeat(60_000) + "\"}";
      // More than the buffers on the way can hold.
      for (int i = 0; i < 1_000; i++) {
        busy.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c").with(padding));
      }
      List<String> read = watch.rest();
      assertThat(read.subList(0, read.size() - 1))
          .hasSizeLessThan(1_000)
          .allMatch(line -> line.endsWith("\"}}}"));
      assertThat(read.getLast())
          .contains("\"ERROR\"", "too old resource version: ", "\"code\":410");
      await().untilAsserted(() -> assertThat(busy.openSources()).isZero());
    }
  }

  /** Over gRPC such a stream ends with LAGGED; here nothing more would be read. */
  @Test
  void unreadWatch_whileMemoryIsShort_isCut() throws IOException {
    FanoutSettings.Limits common = FanoutSettings.DEFAULTS.limits();
    FanoutSettings tight =
        FanoutSettings.DEFAULTS.with(
            new FanoutSettings.Limits(
                common.feeds(),
                /* outboundBytes= */ 1,
                common.pinnedRevisions(),
                common.snapshotBytes()));
    TestCatalog busy = new TestCatalog();
    HttpServer strict =
        new HttpServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            null,
            busy,
            null,
            TimeSource.SYSTEM,
            QUIET,
            tight);
    try (TestServer other = new TestServer(strict);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), other.port())) {
      socket
          .getOutputStream()
          .write(
              ("GET " + MAPS + "?watch=1 HTTP/1.1\r\nHost: a\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
      await().until(() -> busy.openSources() == 1);
      String padding = ",\"data\":{\"a\":\"" + "x".repeat(60_000) + "\"}";
      // More than the buffers on the way can hold.
      for (int i = 0; i < 500; i++) {
        busy.put(TestCatalog.CONFIG_MAPS, TestObject.of("a", "c").with(padding));
      }

      await().until(() -> busy.openSources() == 0);

      assertThat(untilCut(socket))
          .contains("\"ADDED\"")
          .doesNotContain("\"ERROR\"")
          .doesNotEndWith("0\r\n\r\n");
    }
  }

  private static String untilCut(Socket socket) {
    StringBuilder read = new StringBuilder();
    byte[] buffer = new byte[1 << 16];
    try {
      for (int n = 0; n >= 0; n = socket.getInputStream().read(buffer)) {
        read.append(new String(buffer, 0, n, StandardCharsets.US_ASCII));
      }
    } catch (IOException e) {
      read.append(" [reset]");
    }
    return read.toString();
  }

  @Test
  void aboveLimit_watchIsRefusedWithRetryAfter() {
    serve(settings(Duration.ofHours(1), QUIET.watchTimeout(), 1));
    TestWatch first = watch(MAPS + "?watch=1");
    HttpResponse<String> second = server.get(MAPS + "?watch=1");
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.headers().firstValue("Retry-After")).contains("1");
    assertThat(second.body())
        .contains("Too many requests, please try again later.", "\"retryAfterSeconds\":1");
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

  // ---- by the client

  @Test
  void clientDisconnect_releasesTheWatch() {
    TestWatch watch = watch(MAPS + "?watch=1");
    assertThat(catalog.openSources()).isEqualTo(1);
    watch.close();
    await()
        .untilAsserted(
            () -> {
              catalog.putConfigMap("a", "c1"); // a write finds out that the client is gone
              assertThat(catalog.openSources()).isZero();
            });
  }

  @Test
  void clientDisconnect_onAQuietType_releasesTheWatch() {
    serve(bookmarksEvery(Duration.ofMillis(20)));
    watch(MAPS + "?watch=1").close();
    await().untilAsserted(() -> assertThat(catalog.openSources()).isZero());
  }

  @Tag("slow")
  @Test
  void pipelinedRequest_waitsForTheEndOfTheWatch() throws IOException {
    serve(bookmarksEvery(Duration.ofMillis(20)));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      // Long enough that the watch is seen, and the next request sent, before its end.
      String watch = "GET /api/v1/pods?watch=1&timeoutSeconds=10 HTTP/1.1\r\nHost: x\r\n\r\n";
      socket.getOutputStream().write(watch.getBytes(StandardCharsets.US_ASCII));
      await().until(() -> catalog.openSources() == 1);
      String next = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(next.getBytes(StandardCharsets.US_ASCII));
      String answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answers).matches("(?s)HTTP/1.1 200 OK.*\r\n0\r\n\r\nHTTP/1.1 200 OK.*ok");
    }
  }
}
