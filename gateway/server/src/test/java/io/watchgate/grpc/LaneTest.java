package io.watchgate.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.watchgate.grpc.NumberedReader.Habit;
import io.watchgate.grpc.NumberedServer.Request;
import io.watchgate.grpc.StrictHttp2Client.Handler;
import io.watchgate.grpc.StrictHttp2Client.Stream;
import io.watchgate.server.GatewaySettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import okhttp3.tls.HeldCertificate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of the lane against clients that check each frame, each byte of both windows, and each
 * response.
 */
@Timeout(300)
final class LaneTest {
  private static final int LARGE_WINDOW = 1 << 20;
  private static final int MANY = 1_000_000;
  private static final Request SMALL = new Request(1, 2_000, 200, 0);

  private static final Duration LIMIT = Duration.ofMinutes(3);

  /** Reads all, through the window of the connection only. */
  private static final Handler WIDENING_THE_CONNECTION =
      new Handler() {
        @Override
        public void onData(StrictHttp2Client from, Stream stream, int bytes) throws IOException {
          from.grant(bytes);
        }
      };

  /** Reads all as well, but widens the window only once all streams are open. */
  private static final class LateWidening implements Handler {
    private boolean isWidening;
    private int unread;

    @Override
    public void onData(StrictHttp2Client from, Stream stream, int bytes) throws IOException {
      if (isWidening) {
        from.grant(bytes);
      } else {
        unread += bytes;
      }
    }

    void begin(StrictHttp2Client client) throws IOException {
      synchronized (client) {
        isWidening = true;
        if (unread > 0) {
          client.grant(unread);
        }
      }
    }
  }

  private final List<StrictHttp2Client> clients = new ArrayList<>();
  private @Nullable NumberedServer server;

  @AfterEach
  void close() throws IOException {
    for (StrictHttp2Client client : clients) {
      client.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private NumberedServer serve(GatewaySettings.Lane lane, UnaryOperator<NettyServerBuilder> options)
      throws IOException {
    NumberedServer started = new NumberedServer(2, lane, options);
    server = started;
    return started;
  }

  private NumberedServer serve() throws IOException {
    return serve(GatewaySettings.Lane.ON, UnaryOperator.identity());
  }

  private StrictHttp2Client connect(NumberedServer to, int initialWindow, Handler handler)
      throws IOException {
    return add(
        new StrictHttp2Client(
            new Socket(InetAddress.getLoopbackAddress(), to.port()), initialWindow, handler));
  }

  private StrictHttp2Client add(StrictHttp2Client client) {
    clients.add(client);
    return client;
  }

  private static Random random() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    return new Random(seed);
  }

  private void awaitEnds() {
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              clients.forEach(StrictHttp2Client::check);
              return streams().stream().allMatch(Stream::isOver);
            });
    clients.forEach(StrictHttp2Client::check);
  }

  private List<Stream> streams() {
    return clients.stream().flatMap(client -> client.streams().stream()).toList();
  }

  private void assertAllEndWell() {
    awaitEnds();
    assertThat(streams())
        .allSatisfy(stream -> assertThat(stream.isReset || "0".equals(stream.status())).isTrue());
  }

  @ParameterizedTest
  @EnumSource(
      value = Habit.class,
      names = {"NONE", "CHANGES"})
  void randomClients_getEachResponseInOrderWithinTheirWindows(Habit habit) throws IOException {
    Random random = random();
    NumberedServer to = serve();
    for (int window : new int[] {1_000, 20_000, StrictHttp2Client.DEFAULT_WINDOW, LARGE_WINDOW}) {
      NumberedReader reader = new NumberedReader(random.nextLong(), habit);
      reader.openRandom(connect(to, window, reader), 40);
    }
    assertAllEndWell();
    assertThat(to.laneResponses()).isGreaterThan(to.grpcResponses());
  }

  /**
   * Groups whose members leave, are reset, and have windows that change; some responses are too
   * large for a group.
   */
  @Test
  void groupsOfStreams_getEachResponseInOrderWithinTheirWindows() throws IOException {
    Random random = random();
    NumberedServer to = serve();
    int rounds = 0;
    do { // on a loaded machine, fewer streams are at the same response, and form a group
      openGroups(to, random);
      assertAllEndWell();
      rounds++;
    } while (to.groupResponses() <= 5_000 && rounds < 10);
    System.out.println("by group " + to.groupResponses() + " of " + to.laneResponses());
    assertThat(to.groupResponses()).isGreaterThan(5_000);
    assertThat(clients)
        .as("frames by gRPC of a size that a client has announced")
        .anyMatch(client -> client.largestFrame() > StrictHttp2Client.DEFAULT_MAX_FRAME);
  }

  /** Opens streams of each window and habit, of which a group sends for those of one request. */
  private void openGroups(NumberedServer to, Random random) throws IOException {
    for (int window : new int[] {1_000, 20_000, StrictHttp2Client.DEFAULT_WINDOW, LARGE_WINDOW}) {
      for (Habit habit : new Habit[] {Habit.NONE, Habit.CHANGES, Habit.FEW_CHANGES}) {
        NumberedReader reader = new NumberedReader(random.nextLong(), habit);
        StrictHttp2Client client = connect(to, window, reader);
        for (int maxBytes : new int[] {200, 3_000, 200_000}) {
          Request request =
              new Request(random.nextInt(), maxBytes > 100_000 ? 50 : 500, maxBytes, 0);
          for (int i = 0; i < 20; i++) {
            var _ = reader.open(client, request.grouped());
          }
        }
      }
    }
  }

  @Test
  void overTls_eachResponseArrives(@TempDir Path folder) throws IOException {
    HeldCertificate held =
        new HeldCertificate.Builder().addSubjectAlternativeName("127.0.0.1").build();
    ServerTls tls = TlsHandshake.server(held, folder);
    NumberedServer to =
        serve(GatewaySettings.Lane.ON, builder -> builder.sslContext(tls.context()));
    NumberedReader reader = new NumberedReader(random().nextLong(), Habit.CHANGES);
    Socket encrypted = new TlsHandshake(held, null).connect(to.port());
    reader.openRandom(add(new StrictHttp2Client(encrypted, LARGE_WINDOW, reader)), 40);
    assertAllEndWell();
    assertThat(to.laneResponses()).isPositive();
  }

  /** Clients that measure the bandwidth ping after DATA, of which gRPC sees none. */
  @Test
  void pingsBetweenResponses_areAnswered() throws IOException {
    NumberedServer to = serve();
    NumberedReader reader = new NumberedReader(1, Habit.PINGS);
    StrictHttp2Client client = connect(to, 5_000, reader);
    var _ = reader.open(client, new Request(1, 5_000, 200, 0));
    assertAllEndWell();
    assertThat(client.pongs()).isGreaterThan(20);
  }

  /**
   * Pings that the lane does not excuse are judged by gRPC. Each is sent after the answer to the
   * one before: of more pings than the server reads, one would meet a closed socket.
   */
  @Test
  void pingsWithoutData_endTheConnection() throws IOException {
    NumberedServer to = serve();
    NumberedReader reader = new NumberedReader(1, Habit.NONE);
    StrictHttp2Client client = connect(to, LARGE_WINDOW, reader);
    var _ = reader.open(client, SMALL);
    awaitEnds();
    for (int sent = 1; sent <= 10 && client.violation() == null; sent++) {
      int pings = sent;
      client.ping();
      await().until(() -> client.violation() != null || client.pongs() == pings);
    }
    assertThat(client.violation()).isNotNull().hasMessageContaining("too_many_pings");
    client.close();
    clients.remove(client);
  }

  /** The windows are large: the server may reset a connection on which frames arrive at its end. */
  @Test
  void oldConnections_areLeftWithoutLoss() throws IOException {
    Duration age = Duration.ofSeconds(3);
    StrictHttp2Client client = openBefore(age);
    while (client.isGoingAway() && age.compareTo(LIMIT) < 0) { // before all streams were open
      close();
      clients.clear();
      age = age.multipliedBy(2);
      client = openBefore(age);
    }
    await().atMost(LIMIT).until(client::isGoingAway);
    assertThat(streams()).anyMatch(stream -> !stream.isOver());
    client.grant(1 << 30);
    assertAllEndWell();
  }

  /** Opens streams on a connection that the server leaves at that age, and reads none of them. */
  private StrictHttp2Client openBefore(Duration age) throws IOException {
    NumberedServer to =
        serve(
            GatewaySettings.Lane.ON,
            builder -> builder.maxConnectionAge(age.toSeconds(), TimeUnit.SECONDS));
    NumberedReader reader = new NumberedReader(random().nextLong(), Habit.NONE);
    Handler silent =
        new Handler() {
          @Override
          public void onMessage(StrictHttp2Client from, Stream stream, byte[] message)
              throws IOException {
            reader.onMessage(from, stream, message);
          }

          @Override
          public void onTrailers(StrictHttp2Client from, Stream stream, String status) {
            reader.onTrailers(from, stream, status);
          }
        };
    StrictHttp2Client client = connect(to, 1 << 30, silent);
    try {
      reader.openRandom(client, 40);
    } catch (IOException e) {
      if (!client.isGoingAway()) {
        throw e;
      } // else it had no stream yet, and the server has closed it
    }
    return client;
  }

  /**
   * Nothing follows the reset of a stream. The windows are large, since Netty itself sends what its
   * flow controller has queued after the reset.
   */
  @Test
  void streamsWithDeadlines_endInOrder() throws IOException {
    NumberedServer to = serve();
    NumberedReader reader = new NumberedReader(random().nextLong(), Habit.NONE);
    StrictHttp2Client client = connect(to, 1 << 30, reader);
    client.grant(1 << 30);
    int millis = 50;
    do { // until the deadlines are long enough for responses, however busy the machine is
      for (int i = 0; i < 40; i++) {
        String deadline = (millis + i) + "m";
        var _ = reader.open(client, new Request(i, MANY, 2_000, 0), "grpc-timeout", deadline);
      }
      awaitEnds();
      millis *= 4;
    } while (to.laneResponses() <= 40 && millis < 60_000);
    assertThat(streams()).extracting(Stream::status).containsOnlyNulls();
    assertThat(to.laneResponses()).isGreaterThan(40);
  }

  /** Streams of which nothing is read hold up no other stream of their connection. */
  @Test
  void unreadStreams_waitAlone() throws IOException {
    NumberedServer to = serve();
    NumberedReader reader = new NumberedReader(random().nextLong(), Habit.NONE);
    StrictHttp2Client client =
        connect(
            to,
            1_000,
            new Handler() {
              @Override
              public void onData(StrictHttp2Client from, Stream stream, int bytes)
                  throws IOException {
                if (stream.id > 40) {
                  reader.onData(from, stream, bytes);
                } else {
                  from.grant(bytes); // of the connection only
                }
              }

              @Override
              public void onTrailers(StrictHttp2Client from, Stream stream, String status) {
                if (stream.id > 40) {
                  reader.onTrailers(from, stream, status);
                }
              }
            });
    List<Stream> unread = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      unread.add(client.open(NumberedServer.METHOD_NAME, SMALL.encode()));
    }
    for (int i = 0; i < 20; i++) {
      var _ = reader.open(client, SMALL);
    }
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              client.check();
              return client.streams().stream()
                  .filter(stream -> !unread.contains(stream))
                  .allMatch(Stream::isOver);
            });
    assertThat(unread).allSatisfy(stream -> assertThat(stream.isOver()).isFalse());
  }

  /** Streams that wait for the window of their connection are woken in turn, and all of them. */
  @Test
  void narrowConnection_isSharedByAllStreams() throws IOException {
    NumberedServer to = serve();
    List<Stream> streams = new ArrayList<>();
    LateWidening reader = new LateWidening();
    StrictHttp2Client client = connect(to, 1 << 30, reader);
    for (int i = 0; i < 500; i++) {
      streams.add(
          client.open(NumberedServer.METHOD_NAME, new Request(i, 1_000_000, 1_000, 0).encode()));
    }
    reader.begin(client); // earlier, the first streams would get more the longer opening takes
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              client.check();
              return streams.stream().allMatch(stream -> stream.messages() >= 20);
            });
    int most = streams.stream().mapToInt(Stream::messages).max().orElseThrow();
    int least = streams.stream().mapToInt(Stream::messages).min().orElseThrow();
    assertThat(most).isLessThan(20 * least);
  }

  /**
   * Responses that gRPC has to send, for their size, share the window of the connection with those
   * of the lane: neither starves.
   */
  @Test
  void largeAndSmallResponses_shareANarrowConnection() throws IOException {
    NumberedServer to = serve();
    StrictHttp2Client client = connect(to, 1 << 30, WIDENING_THE_CONNECTION);
    List<Stream> streams = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int maxBytes = i % 2 == 0 ? 290_000 : 1_000;
      streams.add(
          client.open(NumberedServer.METHOD_NAME, new Request(i, MANY, maxBytes, 0).encode()));
    }
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              client.check();
              return streams.stream().allMatch(stream -> stream.messages() >= 30);
            });
  }

  /** A client that closes its socket's window gets nothing more, and others are served. */
  @Test
  void unreadSocket_keepsOnlyItsOwnStreamsWaiting() throws IOException {
    NumberedServer to = serve();
    try (Socket narrow = new Socket()) {
      narrow.setReceiveBufferSize(1 << 12);
      narrow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), to.port()));
      StrictHttp2Client silent = StrictHttp2Client.unread(narrow, 1 << 30);
      for (int i = 0; i < 50; i++) {
        var _ = silent.open(NumberedServer.METHOD_NAME, new Request(i, MANY, 9_000, 0).encode());
      }
      for (int i = 0; i < 4; i++) {
        NumberedReader reader = new NumberedReader(i, Habit.NONE);
        var _ = reader.open(connect(to, LARGE_WINDOW, reader), SMALL);
      }
      assertAllEndWell();
    }
  }

  @Tag("slow")
  @Test
  void tenThousandStreams_areServed() throws IOException {
    NumberedServer to = serve();
    for (int i = 0; i < 20; i++) {
      NumberedReader reader = new NumberedReader(i, Habit.NONE);
      StrictHttp2Client client = connect(to, StrictHttp2Client.DEFAULT_WINDOW, reader);
      for (int j = 0; j < 500; j++) {
        var _ = reader.open(client, new Request(j, 20, 2_000, 1));
      }
    }
    assertAllEndWell();
    assertThat(to.laneResponses()).isGreaterThan(20_000);
  }

  @Test
  void withoutLane_allIsSentByGrpc() throws IOException {
    NumberedServer to = serve(GatewaySettings.Lane.OFF, UnaryOperator.identity());
    NumberedReader reader = new NumberedReader(1, Habit.CHANGES);
    reader.openRandom(connect(to, LARGE_WINDOW, reader), 20);
    assertAllEndWell();
    assertThat(to.laneResponses()).isZero();
  }
}
