package io.watchgate.kube;

import static io.watchgate.kube.ApiserverStub.EVENTS;
import static io.watchgate.kube.ApiserverStub.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.Upstream;
import io.watchgate.cache.Upstream.WatchOutcome;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.Protocol;
import okio.Buffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Test that a blocked reader bounds the bytes that are received for it. */
@Timeout(300)
final class ReceiveWindowTest {
  private static final int LIMIT = 1_000;
  private static final int EVENT_BYTES = 10_000;
  private static final int EVENT_COUNT = 1_000;
  private static final TlsOptions NO_TLS =
      new TlsOptions(TlsOptions.Verification.FULL, null, "", null);

  @RegisterExtension private final ApiserverStub clients = new ApiserverStub();

  /** Gives bytes without end, and counts them. */
  private static final class Endless extends InputStream {
    final AtomicInteger given = new AtomicInteger();

    @Override
    public int read() {
      given.incrementAndGet();
      return 'x';
    }

    @Override
    public int read(byte[] into, int from, int length) {
      int some = Math.min(length, 100);
      given.addAndGet(some);
      return some;
    }
  }

  private static Thread drain(InputStream in) {
    return Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              byte[] buffer = new byte[100];
              try {
                while (in.read(buffer) >= 0) {
                  Thread.onSpinWait();
                }
              } catch (IOException e) {
                // The test is over.
              }
            });
  }

  /** Returns an answer that is being read; it has no idle timeout. */
  private static InputStream answer(ReceiveWindow window) {
    return new TimedAnswerStream(new Endless(), window, new ScheduledThreadPoolExecutor(0));
  }

  /** The limit is reached, and nothing more is read. */
  private static void awaitFull(ReceiveWindow window) {
    await().until(() -> window.unreadBytes() == LIMIT);
  }

  @Test
  void busyReader_holdsUpTheSocketAtTheLimit() throws IOException {
    ReceiveWindow window = new ReceiveWindow(LIMIT);
    try (InputStream answer = answer(window)) {
      Endless socket = new Endless();
      Thread receiver = drain(window.socket(socket));
      awaitFull(window);
      assertThat(socket.given).hasValue(LIMIT);

      assertThat(answer.read(new byte[100])).isEqualTo(100);

      await().until(() -> socket.given.get() >= LIMIT + 100);
      receiver.interrupt();
    }
  }

  /** A busy machine stops a thread for long, too. */
  @Test
  void longRead_duringWhichNothingCame_countsAsTakenOnly() throws IOException {
    ReceiveWindow window = new ReceiveWindow(LIMIT);
    try (InputStream answer = answer(window)) {
      assertThat(answer).isNotNull();
      assertThat(window.socket(new Endless()).read(new byte[100])).isEqualTo(100);

      long before = window.beginWait();
      window.endRead(10, TimeUnit.SECONDS.toNanos(1), before);
      assertThat(window.unreadBytes()).isEqualTo(90);

      before = window.beginWait();
      assertThat(window.socket(new Endless()).read(new byte[100])).isEqualTo(100);
      window.endRead(60, TimeUnit.SECONDS.toNanos(1), before);
      assertThat(window.unreadBytes()).as("all that came before the wait was taken").isEqualTo(40);
    }
  }

  @Test
  void answerThatIsClosed_holdsUpNothing() throws IOException {
    ReceiveWindow window = new ReceiveWindow(LIMIT);
    Endless socket = new Endless();
    InputStream answer = answer(window);
    Thread receiver = drain(window.socket(socket));
    awaitFull(window);

    answer.close();

    await().until(() -> socket.given.get() > 10 * LIMIT);
    receiver.interrupt();
  }

  /** The answer of another call on the same connection lies behind what is not read. */
  @Test
  void callThatWaitsForItsAnswer_isNotHeldUpByABusyReader() throws IOException {
    ReceiveWindow window = new ReceiveWindow(LIMIT);
    try (InputStream busy = answer(window)) {
      assertThat(busy).isNotNull();
      Endless socket = new Endless();
      Thread receiver = drain(window.socket(socket));
      awaitFull(window);

      window.beginWait();
      await().until(() -> socket.given.get() > 10 * LIMIT);
      window.endWait();
      receiver.interrupt();
    }
  }

  @Test
  void watchOverHttp2_thatIsHeldUp_leavesTheRestToTheServer() throws Exception {
    String padding = "x".repeat(EVENT_BYTES);
    Buffer events = new Buffer();
    for (int i = 1; i <= EVENT_COUNT; i++) {
      events.writeUtf8(
          """
          {"type":"ADDED","object":{"kind":"Event","metadata":{"name":"e%1$d","uid":"u%1$d",\
          "resourceVersion":"%1$d"},"message":"%2$s"}}
          """
              .formatted(i, padding));
    }
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger received = new AtomicInteger();
    Upstream.WatchSink slow =
        new Upstream.WatchSink() {
          @Override
          public Upstream.SinkResult event(
              Upstream.EventType type, byte[] buffer, int from, int to) {
            if (received.incrementAndGet() == 1) {
              first.countDown();
              try {
                release.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            }
            return Upstream.SinkResult.CONTINUE;
          }

          @Override
          public Upstream.SinkResult bookmark(String resourceVersion, Upstream.BookmarkKind kind) {
            return Upstream.SinkResult.CONTINUE;
          }
        };
    try (MockWebServer server = new MockWebServer()) {
      server.setProtocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
      server.start();
      server.enqueue(new MockResponse.Builder().body(events).build());
      try (KubeUpstream upstream =
          clients.upstream(
              ApiserverStub.access(server.url("/"), NO_TLS, new UserCredentials.Anonymous()),
              EVENTS,
              SETTINGS)) {
        CompletableFuture<WatchOutcome> watch =
            BackgroundWatch.start(() -> upstream.watch("1", slow));
        first.await();
        // The receiver fills the window and stays there, though ten megabytes are on their way.
        await().until(() -> upstream.unreadBytes() >= KubeSettings.Sizes.RECEIVE_WINDOW);
        assertThat(upstream.unreadBytes()).isLessThan(2 * KubeSettings.Sizes.RECEIVE_WINDOW);

        release.countDown();

        assertThat(watch).succeedsWithin(ApiserverStub.LONG);
        assertThat(received).hasValue(EVENT_COUNT);
      }
    }
  }
}
