package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.watchgate.cache.SampleObject;
import io.watchgate.grpc.StrictHttp2Client.Stream;
import io.watchgate.grpc.lane.LaneFlusher;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of streams of the service that take the lane. */
final class LaneStreamsTest {
  private static final String METHOD = "watchgate.v1.WatchService/ListAndWatch";
  private static final int WINDOW = 1 << 30;
  private static final Pattern BYTES = Pattern.compile("\"bytes\":(\\d+)");

  private final ServerFixture fixture = new ServerFixture();
  private final Map<Stream, List<String>> versions = new ConcurrentHashMap<>();
  private final Map<Stream, Long> sizes = new ConcurrentHashMap<>();
  private final StrictHttp2Client client;
  private int version = 100;

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
                    versions.computeIfAbsent(stream, _ -> new CopyOnWriteArrayList<>());
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
    List<Stream> opened = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      opened.add(client.open(METHOD, CONFIG_MAPS.toByteArray()));
    }
    await().until(() -> opened.stream().allMatch(stream -> stream.messages() >= 2)); // synced
    return opened;
  }

  private void put(List<Stream> streams) {
    String next = Integer.toString(++version);
    fixture.cluster.put(SampleObject.of("n", "a", version));
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
    List<Stream> streams = open(50);
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
                    .hasSize(version - 100)
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
    fixture.server.drain(Duration.ofSeconds(5));
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
      fixture.cluster.put(SampleObject.of("n", "a", ++version).padding(900));
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

  /** Random bytes after a correct beginning: they end their connection at most. */
  @Test
  void randomFrames_harmNoOtherConnection() throws IOException {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    List<Stream> streams = open(2);
    for (int i = 0; i < 200; i++) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), fixture.server.port())) {
        StrictHttp2Client hostile = StrictHttp2Client.unread(socket, random.nextInt(WINDOW));
        for (int j = 0; j < 3; j++) {
          var _ = hostile.open(METHOD, CONFIG_MAPS.toByteArray());
        }
        sendRandomFrames(socket.getOutputStream(), random);
      } catch (IOException e) {
        // The server has closed the connection, as it should.
      }
      if (i % 20 == 0) {
        put(streams);
      }
    }
    put(streams);
    await().untilAsserted(() -> assertThat(fixture.places.usedSlots()).isEqualTo(2));
    assertThat(fixture.server.connections()).isOne();
  }

  /** Sends frames of known types whose content is random, mostly with the length that they need. */
  private static void sendRandomFrames(OutputStream out, Random random) throws IOException {
    for (int i = random.nextInt(20); i >= 0; i--) {
      int type = random.nextInt(10);
      int length =
          switch (type) {
            case 2 -> 5;
            case 3, 8 -> 4;
            case 4 -> 6 * random.nextInt(4);
            case 6, 7 -> 8;
            default -> random.nextInt(40);
          };
      byte[] frame = new byte[9 + length];
      random.nextBytes(frame);
      frame[0] = 0;
      frame[1] = 0;
      frame[2] = (byte) length;
      frame[3] = (byte) type;
      frame[4] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : 0);
      frame[5] = 0;
      frame[6] = 0;
      frame[7] = 0;
      frame[8] = (byte) (type == 4 || type == 6 ? 0 : random.nextInt(8));
      if (type == 4 && length > 0) {
        frame[9] = 0;
        frame[10] = (byte) (1 + random.nextInt(6));
      }
      out.write(frame);
    }
    out.flush();
  }
}
