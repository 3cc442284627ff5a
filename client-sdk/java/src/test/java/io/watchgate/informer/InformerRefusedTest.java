package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.Status;
import io.watchgate.client.ErrorAction;
import io.watchgate.client.WatchClient;
import io.watchgate.client.WatchClientBuilder;
import io.watchgate.client.WatchError;
import io.watchgate.testing.FakeGateway;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of informers that cannot connect: the reported error, and whether the informer retries. */
@Tag("slow")
final class InformerRefusedTest {
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Duration SHORT = Duration.ofMillis(300);

  private final FakeGateway gateway = FakeGateway.start();

  @AfterEach
  void end() {
    gateway.close();
  }

  private WatchClientBuilder client() {
    return WatchClient.to("fake", 1).transport((host, port) -> gateway.channel());
  }

  private static Informer<ByteString> pods(WatchClient client) {
    return Informer.of(client, "pods", Decoder.raw()).start();
  }

  // ---- permanent failures

  @ParameterizedTest
  @CsvSource({
    "PERMISSION_DENIED, ACCESS_DENIED",
    "PERMISSION_DENIED, ACCESS_CHANGED",
    "NOT_FOUND, TYPE_UNKNOWN",
    "NOT_FOUND, TYPE_GONE",
    "FAILED_PRECONDITION, TYPE_NOT_WATCHABLE",
    "INVALID_ARGUMENT, SELECTOR_INVALID",
    "INVALID_ARGUMENT, FIELD_NOT_SELECTABLE",
    "INVALID_ARGUMENT, TOKEN_MALFORMED",
    "UNAUTHENTICATED, CREDENTIALS_INVALID"
  })
  void refusedWatch_waiterGetsErrorWithoutRetry(Status.Code code, String reason) {
    gateway.refuse(code, reason, "STOP");
    try (WatchClient client = client().build();
        Informer<ByteString> informer = pods(client)) {
      assertThatThrownBy(() -> informer.awaitSynced(LIMIT))
          .isInstanceOfSatisfying(
              InformerEndedException.class,
              ended -> {
                WatchError error = Objects.requireNonNull(ended.error());
                assertThat(error.code()).isEqualTo(code);
                assertThat(error.reason()).isEqualTo(reason);
                assertThat(error.action()).isEqualTo(ErrorAction.STOP);
                assertThat(ended).hasMessage("refused by the test");
              });
      assertThat(informer.error().map(WatchError::reason)).contains(reason);
      assertThat(informer.connectionError()).isEmpty();
      assertThat(gateway.requests()).hasSize(1);
    }
  }

  @Test
  void laterRefusal_endsInformerAndKeepsState() throws Exception {
    gateway.put("", "a", "1");
    try (WatchClient client = client().build();
        Informer<ByteString> informer = pods(client)) {
      informer.awaitSynced(LIMIT);
      gateway.endAll(Status.Code.PERMISSION_DENIED, "ACCESS_CHANGED", "STOP");

      assertThatThrownBy(() -> informer.await(now -> now.size() == 2, LIMIT))
          .isInstanceOf(InformerEndedException.class);
      assertThat(informer.snapshot().size()).isEqualTo(1);
    }
  }

  // ---- temporary failures

  private static void assertTriesAgain(Informer<ByteString> informer, String why) {
    await().until(() -> informer.connectionError().isPresent());
    assertThatThrownBy(() -> informer.awaitSynced(SHORT))
        .isInstanceOf(TimeoutException.class)
        .hasMessageMatching("informer of pods is not synced after 300 ms: [A-Z]+, .+")
        .hasMessageContaining(why);
    assertThat(informer.connectionError().map(WatchError::action)).contains(ErrorAction.RESUME);
    assertThat(informer.error()).isEmpty();
  }

  @Test
  void wrongAddress_isNamedInTimeout() throws Exception {
    int port;
    try (ServerSocket closedLater = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      port = closedLater.getLocalPort();
    }
    try (WatchClient client = WatchClient.to("127.0.0.1", port).build();
        Informer<ByteString> informer = pods(client)) {
      assertTriesAgain(informer, "UNAVAILABLE, Connection refused");
    }
  }

  @Test
  void tlsToPlaintextGateway_isReported() throws Exception {
    Server server =
        Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create()).build().start();
    try (WatchClient client = WatchClient.to("127.0.0.1", server.getPort()).tls().build();
        Informer<ByteString> informer = pods(client)) {
      assertTriesAgain(informer, "SSL/TLS");
    } finally {
      server.shutdownNow();
    }
  }

  /**
   * Expects the alert with which TLS answers plaintext; the connection reset after it may arrive
   * first.
   */
  @Test
  void plaintextToTlsGateway_isReported() throws Exception {
    byte[] alert = {21, 3, 3, 0, 2, 2, 70};
    try (ServerSocket tls = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        WatchClient client = WatchClient.to("127.0.0.1", tls.getLocalPort()).build();
        Informer<ByteString> informer = pods(client)) {
      Thread answering = new Thread(() -> answer(tls, alert), "alerts");
      answering.setDaemon(true);
      answering.start();
      assertTriesAgain(informer, ": ");
    }
  }

  private static void answer(ServerSocket server, byte[] bytes) {
    while (!server.isClosed()) {
      try (Socket client = server.accept()) {
        client.getOutputStream().write(bytes);
      } catch (IOException e) {
        // closed, or disconnected
      }
    }
  }

  @Test
  void transportException_failsOnlyTheAttempt() throws Exception {
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger opened = new AtomicInteger();
    AtomicBoolean isSeen = new AtomicBoolean();
    try (WatchClient client =
            WatchClient.to("fake", 1)
                .transport(
                    (host, port) -> {
                      if (refused.get() < 3 || !isSeen.get()) {
                        refused.incrementAndGet();
                        throw new IllegalStateException("its key is not there yet");
                      }
                      opened.incrementAndGet();
                      return gateway.channel();
                    })
                .build();
        Informer<ByteString> informer = pods(client)) {
      await()
          .until(
              () ->
                  informer
                      .connectionError()
                      .filter(why -> why.message().contains("its key is not there yet"))
                      .isPresent());
      isSeen.set(true);
      informer.awaitSynced(LIMIT);
      assertThat(opened).hasValue(1);
    }
  }

  // ---- credentials

  @Test
  void token_isRequestedForEachStream() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (WatchClient client =
            client().bearerToken(() -> "token-" + asked.incrementAndGet()).build();
        Informer<ByteString> informer = pods(client)) {
      informer.awaitSynced(LIMIT);
      for (int i = 1; i <= 3; i++) {
        int streams = i + 1;
        gateway.endAll(Status.Code.UNAUTHENTICATED, "CREDENTIALS_EXPIRED", "RESUME");
        String version = gateway.put("", "a-" + i, "1");
        informer.awaitAtLeast(version, LIMIT);
        assertThat(gateway.requests()).hasSize(streams);
        assertThat(asked).hasValue(streams);
      }
      assertThat(informer.error()).isEmpty();
    }
  }

  @Test
  void tokenException_failsOnlyTheAttempt() throws Exception {
    Throwable[] thrown = {
      new IllegalStateException("the file is gone"),
      new UncheckedIOException(new IOException("the disk is gone")),
      new IOException("an exception that is not declared"),
      new NoClassDefFoundError("com/example/Token"),
      new StackOverflowError()
    };
    for (Throwable each : thrown) {
      AtomicInteger asked = new AtomicInteger();
      Supplier<String> token =
          () -> {
            if (asked.getAndIncrement() == 0) {
              InformerRefusedTest.<RuntimeException>doThrow(each);
            }
            return "token";
          };
      try (WatchClient client = client().bearerToken(token).build();
          Informer<ByteString> informer = pods(client)) {
        informer.awaitSynced(LIMIT);
        assertThat(asked).as("%s", each).hasValue(2);
        assertThat(informer.error()).isEmpty();
      }
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // throws undeclared exceptions
  private static <E extends Throwable> void doThrow(@Nullable Throwable thrown) throws E {
    throw (E) Objects.requireNonNull(thrown);
  }
}
