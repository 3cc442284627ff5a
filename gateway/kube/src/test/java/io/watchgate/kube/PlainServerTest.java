package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.EVENTS;
import static io.watchgate.kube.ApiserverStub.JSON;
import static io.watchgate.kube.ApiserverStub.LONG;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static io.watchgate.kube.ApiserverStub.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.Upstream.Listed;
import io.watchgate.cache.Upstream.WatchOutcome;
import io.watchgate.cache.UpstreamFailure.Transport;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import jdk.net.ExtendedSocketOptions;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.HttpUrl;
import okhttp3.Protocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Tests with an apiserver without TLS, with HTTP/1.1 or HTTP/2: a sandbox, or {@code kubectl
 * proxy}.
 */
@Execution(ExecutionMode.CONCURRENT)
final class PlainServerTest {
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final TlsOptions NO_TLS =
      new TlsOptions(TlsOptions.Verification.FULL, null, "", null);

  @RegisterExtension private final ApiserverStub clients = new ApiserverStub();
  private final MockWebServer server = new MockWebServer();
  private final Recorder recorder = new Recorder();

  @AfterEach
  void stop() {
    server.close();
  }

  private KubeUpstream events(HttpUrl url, KubeSettings settings) throws ConfigException {
    return clients.upstream(
        ApiserverStub.access(url, NO_TLS, new UserCredentials.Anonymous()), EVENTS, settings);
  }

  private void answer(String json) {
    server.enqueue(new MockResponse.Builder().setHeader("Content-Type", JSON).body(json).build());
  }

  private void speaks(Protocol... protocols) throws Exception {
    server.setProtocols(List.of(protocols));
    server.start();
  }

  @Test
  void http2Server_isUsedWithHttp2() throws Exception {
    speaks(Protocol.H2_PRIOR_KNOWLEDGE);
    answer(ListPage.of("1", "", 0, 0));
    answer(ListPage.of("2", "", 0, 0));
    try (KubeUpstream events = events(server.url("/"), SETTINGS)) {
      assertThat(events.list(recorder)).isEqualTo(new Listed("1"));
      assertThat(events.list(recorder)).isEqualTo(new Listed("2"));
    }
    assertThat(server.takeRequest().getVersion()).isEqualTo("HTTP/2");
    assertThat(server.takeRequest().getExchangeIndex()).isEqualTo(1); // on the same connection
  }

  @Test
  void http1Server_isUsedWithHttp1() throws Exception {
    try (OneLineServer plain = new OneLineServer()) {
      try (KubeUpstream events = events(plain.url(), SETTINGS)) {
        assertThat(events.list(recorder)).isEqualTo(new Listed("7"));
        assertThat(events.list(recorder)).isEqualTo(new Listed("7"));
      }
      assertThat(plain.seen())
          .containsExactly(
              "PRI * HTTP/2.0",
              "GET /api/v1/events?limit=500 HTTP/1.1",
              "GET /api/v1/events?limit=500 HTTP/1.1");
    }
  }

  @Test
  void protocol_isProbedAgainAfterFailure() throws Exception {
    speaks(Protocol.H2_PRIOR_KNOWLEDGE);
    answer(ListPage.of("1", "", 0, 0));
    try (BlackHole way = new BlackHole(server.getPort());
        OneLineServer other = new OneLineServer();
        KubeUpstream events = events(HttpUrl.get("http://127.0.0.1:" + way.port()), SETTINGS)) {
      assertThat(events.list(recorder)).isEqualTo(new Listed("1"));
      way.turn(other.url().port());
      assertThat(failure(events.list(recorder))).isInstanceOf(Transport.class);
      assertThat(events.list(recorder)).isEqualTo(new Listed("7"));
    }
  }

  @Tag("slow")
  @Test
  void silentServer_timesOut() throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      HttpUrl url = HttpUrl.get("http://127.0.0.1:" + mute.getLocalPort());
      try (KubeUpstream events = events(url, SETTINGS.withRequestTimeout(SHORT))) {
        assertThat(failure(events.watch("1", recorder)))
            .isEqualTo(new Transport("watch events: no answer within 300 ms"));
      }
    }
  }

  @Tag("slow")
  @Test
  void deadConnection_isDetectedByPings() throws Exception {
    speaks(Protocol.H2_PRIOR_KNOWLEDGE);
    EventStream stream = new EventStream().frame("ADDED", "{}");
    server.enqueue(new MockResponse.Builder().body(stream).build());
    KubeSettings pinging =
        SETTINGS.with(new KubeSettings.Timeouts(LONG, LONG, LONG, Duration.ofSeconds(4), LONG));
    try (BlackHole way = new BlackHole(server.getPort());
        KubeUpstream events = events(HttpUrl.get("http://127.0.0.1:" + way.port()), pinging)) {
      CompletableFuture<WatchOutcome> watch =
          BackgroundWatch.start(() -> events.watch("1", recorder));
      await().until(() -> recorder.seen.size() == 1 || watch.isDone());
      way.swallow();
      assertThat(watch)
          .succeedsWithin(LONG)
          .extracting(outcome -> failure(outcome).message())
          .asString()
          .endsWith("perhaps because a ping was not answered)");
    }
    stream.end();
  }

  @Test
  void everyConnection_hasTcpKeepAlive() throws Exception {
    try (Socket socket =
        new KeepAliveSocketFactory(KeepAliveSocketFactory.Windowed::new, Duration.ofSeconds(20))
            .createSocket()) {
      assertThat(socket.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(20);
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL)).isEqualTo(20);
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT)).isEqualTo(2);
    }
  }
}
