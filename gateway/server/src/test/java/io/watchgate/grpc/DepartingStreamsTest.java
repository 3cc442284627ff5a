package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.watchgate.cache.SampleObject;
import io.watchgate.fanout.StreamLoop;
import io.watchgate.fanout.StreamState;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of streams that are sent to other replicas by a server that keeps running. */
final class DepartingStreamsTest {
  private static final SampleObject OBJECT = SampleObject.of("ns", "a", 50);

  /** Longer than a test takes, also on a loaded machine. */
  private static final Duration LONG = Duration.ofMinutes(5);

  private static final ListAndWatchRequest OFTEN =
      CONFIG_MAPS.toBuilder()
          .setDelivery(
              Delivery.newBuilder()
                  .setBookmarkInterval(com.google.protobuf.Duration.newBuilder().setSeconds(1)))
          .build();

  private static RawStream synced(ManagedChannel channel) {
    RawStream stream = RawStream.open(channel, CONFIG_MAPS);
    await().until(stream::isSynced);
    return stream;
  }

  /** Waits until so many streams follow the changes: only these are moved. */
  private static void awaitLive(ServerFixture fixture, int streams) {
    await()
        .untilAsserted(
            () -> {
              AtomicInteger live = new AtomicInteger();
              for (StreamLoop loop : fixture.server.streamLoops()) {
                loop.survey(
                        state -> {
                          if (state.activity() == StreamState.Activity.LIVE) {
                            live.incrementAndGet();
                          }
                        })
                    .join();
              }
              assertThat(live).hasValue(streams);
            });
  }

  @Tag("slow")
  @Test
  void shed_movesTheOldestStreamsThatAreUpToDate() throws InterruptedException {
    try (ServerFixture fixture = new ServerFixture(OBJECT)) {
      RawStream silent = RawStream.begin(fixture.connect(), RawStream.LIST_AND_WATCH);
      silent.ask(CONFIG_MAPS.toByteArray());
      await().until(() -> fixture.places.usedSlots() == 1);
      List<RawStream> streams = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        streams.add(synced(fixture.connect()));
      }
      awaitLive(fixture, 10);

      assertThat(fixture.server.shed(4, LONG, LONG)).as("none is so old").isZero();
      assertThat(fixture.server.shed(4, Duration.ZERO, LONG)).isEqualTo(4);

      for (RawStream stream : streams.subList(0, 4)) {
        stream.assertEnds("UNAVAILABLE REBALANCING RESUME");
        ListAndWatchResponse last = stream.responses().getLast();
        assertThat(last.getGoingAway().getReason())
            .isEqualTo(GoingAwayReason.GOING_AWAY_REASON_REBALANCING);
        assertThat(last.getResumeToken().isEmpty()).isFalse();
      }
      await().until(() -> fixture.server.streams() == 7);
      assertThat(fixture.server.shed(100, Duration.ZERO, LONG))
          .as("but for the one that has asked nothing")
          .isEqualTo(6);
    }
  }

  @Test
  void shed_streamThatCannotRead_stays() throws InterruptedException {
    List<SampleObject> many = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      many.add(SampleObject.of("ns", "o" + i, 50).padding(2_000));
    }
    try (ServerFixture fixture = new ServerFixture(many.toArray(SampleObject[]::new))) {
      RawStream stalled = RawStream.begin(fixture.connect(), RawStream.LIST_AND_WATCH);
      stalled.ask(CONFIG_MAPS.toByteArray());
      stalled.halfClose();
      stalled.demand(3);
      await().until(() -> stalled.responses().size() == 3);

      assertThat(fixture.server.shed(1, Duration.ZERO, LONG)).isZero();

      stalled.demand(Integer.MAX_VALUE);
      await().until(stalled::isSynced);
      awaitLive(fixture, 1);
      assertThat(fixture.server.shed(1, Duration.ZERO, LONG)).isEqualTo(1);
      stalled.assertEnds("UNAVAILABLE REBALANCING RESUME");
    }
  }

  @Tag("slow")
  @Test
  void aboveThreshold_clientsThatKnowReplicas_areRefused() {
    try (ServerFixture fixture = new ServerFixture(OBJECT)) {
      ListAndWatchRequest mobile = CONFIG_MAPS.toBuilder().addFeatures("replicas").build();
      fixture.server.refuseNewStreams(2, 2);
      RawStream first = RawStream.open(fixture.connect(), mobile);
      await().until(first::isSynced);
      synced(fixture.connect());

      RawStream refused = RawStream.open(fixture.connect(), mobile);
      refused.assertEnds("UNAVAILABLE REBALANCING RESUME");
      assertThat(refused.responses()).isEmpty();
      synced(fixture.connect()); // knows no other replica

      RawStream.open(fixture.connect(), mobile).assertEnds("UNAVAILABLE REBALANCING RESUME");
      RawStream third = RawStream.open(fixture.connect(), mobile); // not all are refused
      await().until(third::isSynced);

      fixture.server.refuseNewStreams(0, Integer.MAX_VALUE);
      RawStream admitted = RawStream.open(fixture.connect(), mobile);
      await().until(admitted::isSynced);
    }
  }

  /**
   * A stream whose client does not read is not sent away for its age: it is still open afterwards.
   */
  @Tag("slow")
  @Test
  void oldConnection_acceptsNoStreamsAndKeepsOpenOnes() {
    List<SampleObject> many = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      many.add(SampleObject.of("ns", "o" + i, 50).padding(2_000));
    }
    try (ServerFixture fixture =
        ServerFixture.withStreamAge(Duration.ofSeconds(1), many.toArray(SampleObject[]::new))) {
      ManagedChannel channel = fixture.connect();
      RawStream first = RawStream.begin(channel, RawStream.LIST_AND_WATCH);
      first.ask(OFTEN.toByteArray());
      first.halfClose();
      first.demand(3);
      await().until(() -> first.responses().size() == 3);

      await()
          .untilAsserted(
              () -> assertThat(synced(channel).localAddress()).isNotEqualTo(first.localAddress()));

      first.demand(Integer.MAX_VALUE);
      await().until(first::isSynced);
      first.assertEnds("UNAVAILABLE STREAM_AGE RESUME");
    }
  }
}
