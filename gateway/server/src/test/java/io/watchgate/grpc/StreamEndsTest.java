package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.rpc.RetryInfo;
import io.grpc.ManagedChannel;
import io.grpc.protobuf.StatusProto;
import io.watchgate.admission.GatewayStreamLimits;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.Selection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a stream releases its slot, and its lease on the type, however it ends. */
@Tag("slow")
final class StreamEndsTest {
  private static final GatewayStreamLimits LIMITS = new GatewayStreamLimits(200, 150);
  private static final int CONNECTIONS = 6;

  private final ServerFixture fixture =
      new ServerFixture(
          LIMITS,
          IntStream.range(0, 50)
              .mapToObj(i -> SampleObject.of("ns", "o" + i, 50 + i).padding(4_000))
              .toArray(SampleObject[]::new));

  @AfterEach
  void close() {
    fixture.close();
  }

  private void awaitNothingIsLeft(long seed) {
    await("seed " + seed)
        .atMost(Duration.ofMinutes(1))
        .until(() -> fixture.places.usedSlots() == 0 && !fixture.isTypeOpen());
    assertThat(fixture.places.maxUsedByOneClient()).isZero();
  }

  @Test
  void aboveLimit_streamIsRefusedUntilAnotherEnds() {
    ManagedChannel channel = fixture.connect();
    List<RawStream> open = new ArrayList<>();
    for (int i = 0; i < LIMITS.perClient(); i++) {
      open.add(RawStream.open(channel, CONFIG_MAPS));
    }
    await().until(() -> open.stream().allMatch(RawStream::isSynced));

    RawStream refused = RawStream.open(fixture.connect(), CONFIG_MAPS);

    refused.assertEnds("RESOURCE_EXHAUSTED QUOTA RESUME");
    com.google.rpc.Status status =
        StatusProto.fromStatusAndTrailers(refused.end().status(), refused.end().trailers());
    assertThat(status.getMessage()).contains("127.0.0.1", "150", "--max-streams-per-client");
    assertThat(status.getDetailsList()).anyMatch(detail -> detail.is(RetryInfo.class));
    assertThat(fixture.places.usedSlots()).isEqualTo(LIMITS.perClient());
    open.getFirst().cancel();
    await().until(() -> fixture.places.usedSlots() < LIMITS.perClient());
    RawStream next = RawStream.open(channel, CONFIG_MAPS);
    await().until(next::isSynced);
  }

  /** Begins a stream like a client that behaves well or badly. */
  private static RawStream begin(ManagedChannel channel, Random random) {
    int kind = random.nextInt(12);
    if (kind < 5) {
      RawStream stream = RawStream.open(channel, CONFIG_MAPS);
      if (kind == 0) {
        stream.cancel();
      }
      return stream;
    }
    RawStream stream = RawStream.begin(channel, RawStream.LIST_AND_WATCH);
    switch (kind) {
      case 5 -> {}
      case 6 -> stream.cancel();
      case 7 -> stream.ask(CONFIG_MAPS.toByteArray());
      case 8 -> {
        stream.ask(CONFIG_MAPS.toByteArray());
        stream.ask(CONFIG_MAPS.toByteArray());
        stream.halfClose();
      }
      case 9 -> {
        stream.ask(new byte[random.nextInt(100_000)]);
        stream.halfClose();
      }
      case 10 -> {
        stream.ask(CONFIG_MAPS.toByteArray());
        stream.halfClose();
        stream.demand(random.nextInt(4)); // and reads no more
      }
      default -> {
        stream.ask(unknown(random).toByteArray());
        stream.halfClose();
      }
    }
    return stream;
  }

  private static ListAndWatchRequest unknown(Random random) {
    return random.nextBoolean()
        ? CONFIG_MAPS.toBuilder().setResourceVersion("0").build()
        : CONFIG_MAPS.toBuilder().setSelection(Selection.getDefaultInstance()).build();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void streamsThatEndAtRandom_releaseEverything(boolean theServerGoes) throws InterruptedException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<ManagedChannel> channels = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      channels.add(fixture.connect());
    }
    List<RawStream> streams = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      int connection = random.nextInt(CONNECTIONS);
      streams.add(begin(channels.get(connection), random));
      if (random.nextInt(3) == 0) {
        streams.remove(random.nextInt(streams.size())).cancel();
      }
      if (random.nextInt(20) == 0) {
        fixture.cluster.put(SampleObject.of("ns", "o1", 200 + i).padding(4_000));
      }
      if (random.nextInt(300) == 0) {
        channels.set(connection, fixture.connect()).shutdownNow();
      }
      assertThat(fixture.places.usedSlots()).as("seed %d", seed).isBetween(0, LIMITS.total());
    }

    if (theServerGoes) {
      fixture.server.drain(Duration.ofMillis(200));
    } else {
      channels.forEach(ManagedChannel::shutdownNow);
    }

    awaitNothingIsLeft(seed);
    // Of a stream that the server ended, gRPC keeps the buffers until they are read.
    streams.forEach(stream -> stream.demand(Integer.MAX_VALUE));
    await("seed " + seed).until(() -> streams.stream().allMatch(RawStream::isOver));
  }
}
