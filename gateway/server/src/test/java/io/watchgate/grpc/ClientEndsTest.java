package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.SampleObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the reasons for streams that the client's side ended, and of pings of either side. */
final class ClientEndsTest {
  private static final String METHOD = "watchgate.v1.WatchService/ListAndWatch";

  /** Longer than anything takes that does not hang, also on a loaded machine. */
  private static final Duration LONG = Duration.ofMinutes(3);

  private ServerFixture fixture = new ServerFixture(SampleObject.of("n", "a", 50));

  @AfterEach
  void close() {
    fixture.close();
  }

  private void serve(TransportSettings settings) {
    fixture.close();
    fixture = ServerFixture.with(settings, SampleObject.of("n", "a", 50));
  }

  private void assertEndedWith(String reason) {
    await()
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(fixture.audited)
                    .last()
                    .asString()
                    .contains("\"event\":\"ended\"", "\"reason\":\"" + reason + "\""));
  }

  @Test
  void cancelledStream_isTheClients() {
    RawStream stream = RawStream.open(fixture.connect(), CONFIG_MAPS);
    await().until(stream::isSynced);
    stream.cancel();
    assertEndedWith("client");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void connectionThatIsClosed_isTheConnections(boolean reset) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port());
    if (reset) {
      socket.setSoLinger(true, 0);
    }
    try (HalfSender client = new HalfSender(socket)) {
      client.ask(METHOD, CONFIG_MAPS.toByteArray());
      await().until(() -> !fixture.audited.isEmpty());
    }
    assertEndedWith("connection");
  }

  /** gRPC accepts no shorter time before the ping. */
  @Tag("slow")
  @Test
  void clientThatAnswersNoPing_isEndedByKeepalive() throws IOException {
    serve(new TransportSettings(LONG, Duration.ofSeconds(10), Duration.ofMillis(50), LONG));
    try (HalfSender client = new HalfSender(fixture.server.port())) {
      client.ask(METHOD, CONFIG_MAPS.toByteArray());
      assertEndedWith("keepalive");
    }
    assertThat(fixture.server.connectionsDead()).isOne();
  }

  /** Nothing is read from a connection while 1 MiB waits on it, so no answer to a ping arrives. */
  @Tag("slow")
  @Test
  void clientThatReadsNothing_isEndedAsUnread() throws Exception {
    serve(new TransportSettings(LONG, Duration.ofSeconds(10), Duration.ofMillis(50), LONG));
    Socket narrow = new Socket();
    narrow.setReceiveBufferSize(1 << 12);
    narrow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), fixture.server.port()));
    try (HalfSender client = new HalfSender(narrow)) {
      client.ask(METHOD, CONFIG_MAPS.toByteArray());
      await().until(() -> !fixture.audited.isEmpty());
      Thread sender =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      for (long name = 0; ; name++) {
                        client.ask("no.such.Service/%0100d".formatted(name), new byte[0]);
                      }
                    } catch (IOException e) {
                      // The gateway closed the connection.
                    }
                  });
      await().until(() -> fixture.server.connectionsPaused() == 1);
      assertEndedWith("unread");
      sender.join(LONG);
      assertThat(sender.isAlive()).as("the connection is open").isFalse();
    }
    assertThat(fixture.server.connectionsUnread()).isOne();
    assertThat(fixture.server.connectionsDead()).isZero();
  }

  /** Pings that were sent 5 s apart, and arrive a fifth closer. */
  @Test
  void permittedPing_isBelowWhatTheContractSays() {
    assertThat(TransportSettings.DEFAULTS.permittedPing()).isEqualTo(Duration.ofSeconds(4));
  }

  @Tag("slow")
  @Test
  void pingsThatArePermitted_endNothing() throws IOException {
    Duration apart = Duration.ofMillis(60);
    serve(new TransportSettings(Duration.ofMillis(50), LONG, LONG, LONG));
    try (HalfSender client = new HalfSender(fixture.server.port())) {
      for (int i = 0; i < 10; i++) {
        client.ping();
        client.awaitPong();
        long read = System.nanoTime(); // by the server, at the latest
        await()
            .pollInterval(Duration.ofMillis(5))
            .until(() -> System.nanoTime() - read >= apart.toNanos());
      }
      client.ask(METHOD, CONFIG_MAPS.toByteArray());
      await().until(() -> !fixture.audited.isEmpty());
    }
  }

  @Test
  void pingsInAFlood_endTheConnection() throws IOException {
    try (HalfSender client = new HalfSender(fixture.server.port())) {
      for (int i = 0; i < 4; i++) {
        client.ping();
      }
      assertThat(client.awaitGoAway()).endsWith("too_many_pings");
    }
  }

  @Test
  void silentConnection_isClosedAfterTheHandshakeTimeout() throws IOException {
    serve(new TransportSettings(LONG, LONG, LONG, Duration.ofMillis(50)));
    try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port())) {
      silent.setSoTimeout(Math.toIntExact(LONG.toMillis()));
      byte[] said = silent.getInputStream().readAllBytes();
      assertThat(said.length).isLessThan(200);
    }
    await().until(() -> fixture.server.connections() == 0);
  }

  @Test
  void requestOfHttp1_closesItsConnectionAlone() throws IOException {
    RawStream stream = RawStream.open(fixture.connect(), CONFIG_MAPS);
    await().until(stream::isSynced);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port())) {
      socket.setSoTimeout(Math.toIntExact(LONG.toMillis()));
      socket
          .getOutputStream()
          .write("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().readAllBytes().length).isLessThan(1_000);
    }
    fixture.cluster.put(SampleObject.of("n", "a", 101));
    await().until(() -> stream.last().getResourceVersion().equals("101"));
    assertThat(stream.isOver()).isFalse();
  }
}
