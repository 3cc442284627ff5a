package io.watchgate.grpc;

import static io.watchgate.grpc.ServerFixture.CONFIG_MAPS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of the end of a server. */
final class GatewayServerTest {
  private final ServerFixture fixture = new ServerFixture(SampleObject.of("ns", "a", 50));

  @AfterEach
  void close() {
    fixture.close();
    assertNoThreadIsLeft();
  }

  /** Waits for the threads, because an event loop reports its end before its thread ends. */
  private static void assertNoThreadIsLeft() {
    await()
        .untilAsserted(
            () ->
                assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.matches("grpc-(loop|accept)-.*")));
  }

  @Tag("slow")
  @Test
  void drain_everyStreamGetsGoingAwayAndEnds() throws InterruptedException {
    List<RawStream> streams = new ArrayList<>();
    for (int connection = 0; connection < 3; connection++) {
      ManagedChannel channel = fixture.connect();
      for (int i = 0; i < 20; i++) {
        streams.add(RawStream.open(channel, CONFIG_MAPS));
      }
    }
    await().until(() -> streams.stream().allMatch(RawStream::isSynced));

    fixture.server.drain(Duration.ofMinutes(3));

    for (RawStream stream : streams) {
      stream.assertEnds("UNAVAILABLE DRAINING RESUME");
      ListAndWatchResponse last = stream.responses().getLast();
      assertThat(last.hasGoingAway()).isTrue();
      assertThat(last.getResumeToken().isEmpty()).isFalse();
    }
    assertNoThreadIsLeft();
  }

  @Tag("slow")
  @Test
  void drain_streamBeingOpened_isRefused() throws InterruptedException {
    CountDownLatch answer = fixture.cluster.blockRequests();
    RawStream stream = RawStream.open(fixture.connect(), CONFIG_MAPS);
    await().until(fixture.cluster::isAsked);
    Thread draining = startToDrain();

    answer.countDown();

    stream.assertEnds("UNAVAILABLE DRAINING RESUME");
    assertThat(stream.responses()).isEmpty();
    draining.join();
  }

  @Tag("slow")
  @Test
  void drain_admittedStreamThatOpensLater_getsGoingAway() throws InterruptedException {
    CountDownLatch opened = fixture.cluster.blockOpening();
    RawStream stream = RawStream.open(fixture.connect(), CONFIG_MAPS);
    await().until(fixture.cluster::isOpening);
    Thread draining = startToDrain();

    opened.countDown();

    stream.assertEnds("UNAVAILABLE DRAINING RESUME");
    assertThat(stream.responses().getFirst().hasOpened()).isTrue();
    GoingAway last = stream.responses().getLast().getGoingAway();
    assertThat(last.getReason()).isEqualTo(GoingAwayReason.GOING_AWAY_REASON_DRAINING);
    assertThat(last.getReconnectWithin())
        .isEqualTo(com.google.protobuf.Duration.newBuilder().setNanos(100_000_000).build());
    draining.join();
  }

  /** Starts a drain, and returns once all open streams got GOING_AWAY. */
  private Thread startToDrain() {
    Thread draining =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    fixture.server.drain(Duration.ofMinutes(3));
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    await().until(() -> draining.getState() == Thread.State.TIMED_WAITING);
    return draining;
  }

  @Test
  void drain_streamsLeftAfterTheTimeout_areClosed() throws InterruptedException {
    RawStream silent = RawStream.begin(fixture.connect(), RawStream.LIST_AND_WATCH);
    silent.ask(CONFIG_MAPS.toByteArray());
    RawStream open = RawStream.open(fixture.connect(), CONFIG_MAPS);
    await().until(() -> open.isSynced() && fixture.places.usedSlots() == 2);

    fixture.server.drain(Duration.ofMillis(100));

    assertThat(silent.end().status().isOk()).isFalse();
  }

  @Test
  void changeAfterClose_isDropped() {
    RawStream stream = RawStream.open(fixture.connect(), CONFIG_MAPS);
    await().until(stream::isSynced);

    fixture.server.close();
    fixture.server.close();
    fixture.cluster.put(SampleObject.of("ns", "a", 101));

    assertThat(stream.end().status().isOk()).isFalse();
  }
}
