package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.SampleObject;
import io.watchgate.grpc.StrictHttp2Client.Stream;
import io.watchgate.grpc.lane.LaneFlusher;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of streams of the service that take the lane. */
final class LaneStreamsTest {
  private static final String METHOD = "watchgate.v1.WatchService/ListAndWatch";
  private static final int WINDOW = 1 << 30;
  private static final Pattern BYTES = Pattern.compile("\"bytes\":(\\d+)");

  /** Request of a stream that gets no bookmark, which gRPC would send, within a test. */
  private static final ListAndWatchRequest RARE_BOOKMARKS =
      CONFIG_MAPS.toBuilder()
          .setDelivery(
              Delivery.newBuilder()
                  .setBookmarkInterval(com.google.protobuf.Duration.newBuilder().setSeconds(300)))
          .build();

  private final ServerFixture fixture = new ServerFixture();
  private final Map<Stream, List<String>> versions = new ConcurrentHashMap<>();
  private final Map<Stream, Long> sizes = new ConcurrentHashMap<>();
  private final StrictHttp2Client client;
  private final AtomicInteger version = new AtomicInteger(100);

  LaneStreamsTest() throws IOException {
    client =
        new StrictHttp2Client(
            new Socket(InetAddress.getLoopbackAddress(), fixture.server.port()),
            WINDOW,
            new StrictHttp2Client.Handler() {
              @Override
              public void onMessage(StrictHttp2Client from, Stream stream, byte[] message)
                  throws IOException {
                ListAndWatchResponse response = ListAndWatchResponse.parseFrom(message);
                List<String> seen =
                    versions.computeIfAbsent(
                        stream, _ -> Collections.synchronizedList(new ArrayList<>()));
                sizes.merge(stream, (long) message.length, Long::sum);
                response.getEventsList().forEach(event -> seen.add(event.getResourceVersion()));
              }
            });
    client.grant(WINDOW);
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    fixture.close();
  }

  private List<Stream> open(int count) throws IOException {
    return open(count, CONFIG_MAPS);
  }

  private List<Stream> open(int count, ListAndWatchRequest request) throws IOException {
    List<Stream> opened = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      opened.add(client.open(METHOD, request.toByteArray()));
    }
    await().until(() -> opened.stream().allMatch(stream -> stream.messages() >= 2)); // synced
    return opened;
  }

  /** Changes the cluster, and returns the new version. */
  private synchronized int change() {
    int next = version.incrementAndGet();
    fixture.cluster.put(SampleObject.of("n", "a", next).padding(900));
    return next;
  }

  private void put(List<Stream> streams) {
    String next = Integer.toString(change());
    await()
        .until(
            () -> {
              client.check();
              return streams.stream()
                  .allMatch(stream -> versions.getOrDefault(stream, List.of()).contains(next));
            });
  }

  /** gRPC alone ends a connection for the third of these pings: it sees no DATA between them. */
  @Test
  void pingsAfterChanges_areAnswered() throws IOException {
    List<Stream> streams = open(3);
    for (int i = 1; i <= 10; i++) {
      put(streams);
      client.ping();
      int pings = i;
      await().until(() -> client.pongs() == pings);
    }
    client.check();
  }

  @Test
  void changesForManyStreams_takeTheLane() throws IOException {
    List<Stream> streams = open(50, RARE_BOOKMARKS);
    LaneFlusher.Counts before = fixture.server.laneCounts();
    for (int i = 0; i < 20; i++) {
      put(streams);
    }
    assertThat(versions.values())
        .allSatisfy(seen -> assertThat(seen).hasSize(20).isSorted().doesNotHaveDuplicates());
    await().until(() -> fixture.server.laneCounts().byLane() - before.byLane() >= 20 * 50);
    assertThat(fixture.server.laneCounts().grpc() - before.grpc()).isLessThan(50);
  }

  /** Groups form within a second; a member leaves for a bookmark, and when it ends. */
  @Test
  void streamsOfConnection_areSentChangesAsGroup() throws IOException {
    List<Stream> streams = new ArrayList<>(open(50));
    awaitGroup(streams);
    client.reset(streams.removeFirst());
    put(streams);
    awaitGroup(streams);
    for (Stream stream : streams) {
      client.reset(stream);
    }
    await().untilAsserted(() -> assertThat(fixture.audited).hasSize(2 * 50));
    client.check();
    assertThat(streams)
        .allSatisfy(
            stream ->
                assertThat(versions.get(stream))
                    .hasSize(version.get() - 100)
                    .isSorted()
                    .doesNotHaveDuplicates());
    assertThat(fixture.audited.stream().filter(line -> line.contains("\"ended\"")))
        .allSatisfy(line -> assertThat(auditedBytes(line)).isIn(sizes.values()));
    assertThat(Set.copyOf(sizes.values())).hasSizeLessThan(50);
  }

  /** Changes the cluster until a group has sent a change to the streams. */
  private void awaitGroup(List<Stream> streams) {
    long before = fixture.server.laneCounts().grouped();
    await()
        .until(
            () -> {
              put(streams);
              return fixture.server.laneCounts().grouped() - before >= 40;
            });
  }

  private static long auditedBytes(String line) {
    Matcher bytes = BYTES.matcher(line);
    assertThat(bytes.find()).isTrue();
    return Long.parseLong(bytes.group(1));
  }

  @Test
  void cancelledStreams_leaveOthersServed() throws IOException {
    List<Stream> streams = open(20);
    put(streams);
    for (Stream stream : streams.subList(0, 10)) {
      client.reset(stream);
    }
    put(streams.subList(10, 20));
    await().untilAsserted(() -> assertThat(fixture.places.usedSlots()).isEqualTo(10));
    client.check();
  }

  /** The trailers of a stream that is asked to leave come after its last response. */
  @Test
  void drainedStreams_getAllBeforeTheirEnd() throws Exception {
    List<Stream> streams = open(20);
    put(streams);
    fixture.server.drain(Duration.ofMinutes(1)); // it returns once they have ended
    await().until(() -> streams.stream().allMatch(Stream::isOver));
    client.check();
    assertThat(streams).extracting(Stream::status).containsOnly("14");
  }

  /**
   * Streams whose connection has no room wait without a charge for bytes that nothing has queued:
   * else a short pause of one client would end its streams.
   */
  @Test
  void pausedConnection_isChargedItsResponsesOnly() throws IOException {
    try (StrictHttp2Client narrow =
        new StrictHttp2Client(
            new Socket(InetAddress.getLoopbackAddress(), fixture.server.port()),
            WINDOW,
            new StrictHttp2Client.Handler() {
              @Override
              public void onData(StrictHttp2Client from, Stream stream, int bytes)
                  throws IOException {
                if (granting) {
                  from.grant(bytes);
                }
              }
            })) {
      List<Stream> streams = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        streams.add(narrow.open(METHOD, CONFIG_MAPS.toByteArray()));
      }
      await().until(() -> streams.stream().allMatch(stream -> stream.messages() >= 2));
      granting = false;
      // The window of the connection has room for 65 responses of 1,000 bytes.
      int _ = change();
      await().until(() -> narrow.window() < 2_000);
      await().until(() -> fixture.unreadBytes() > 0);
      assertThat(fixture.unreadBytes()).isLessThan(2_000_000);

      granting = true;
      narrow.grant(1_000_000);
      await().until(() -> streams.stream().allMatch(stream -> stream.messages() >= 3));
      await().untilAsserted(() -> assertThat(fixture.unreadBytes()).isZero());
      narrow.check();
    }
  }

  private volatile boolean granting = true;

  /**
   * Random frames after a correct beginning, while changes are sent: they end their connection at
   * most. {@code -Dwatchgate.test.args=-Dseed=N} repeats the frames.
   */
  @Test
  void randomFrames_harmNoOtherConnection() throws IOException {
    long seed = Long.getLong("seed", new Random().nextLong());
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    List<Stream> streams = open(2);
    int dataFrames = 0;
    try (ScheduledExecutorService writer = Executors.newSingleThreadScheduledExecutor()) {
      var _ = writer.scheduleWithFixedDelay(this::change, 0, 1, TimeUnit.MILLISECONDS);
      for (int i = 0; i < 200; i++) {
        dataFrames += exchangeRandomFrames(random);
        if (i % 20 == 0) {
          put(streams);
        }
      }
      writer.shutdownNow();
    }
    assertThat(dataFrames).as("DATA frames to hostile connections").isGreaterThan(200);
    put(streams);
    await().untilAsserted(() -> assertThat(fixture.places.usedSlots()).isEqualTo(2));
    await().untilAsserted(() -> assertThat(fixture.server.connections()).isOne());
  }

  /** Sends random frames until the server closes the connection, and reads beside it. */
  private int exchangeRandomFrames(Random random) throws IOException {
    try (FuzzedConnection hostile =
        new FuzzedConnection(
            new Socket(InetAddress.getLoopbackAddress(), fixture.server.port()), random)) {
      try {
        hostile.begin(
            random.nextBoolean() ? WINDOW : random.nextInt(3_000),
            random.nextBoolean() ? WINDOW : 0,
            METHOD,
            CONFIG_MAPS.toByteArray(),
            3);
        int untilVersion = version.get() + random.nextInt(50);
        while (version.get() < untilVersion && !hostile.isGoingAway()) {
          hostile.readAnswers();
        }
        for (int frames = random.nextInt(20); frames >= 0 && !hostile.isGoingAway(); frames--) {
          hostile.sendRandomFrame();
          hostile.readAnswers();
        }
      } catch (SocketTimeoutException e) {
        throw new AssertionError("the server neither answers nor closes", e);
      } catch (IOException e) {
        // The server has closed the connection, as it should.
      }
      return hostile.dataFrames();
    }
  }
}
