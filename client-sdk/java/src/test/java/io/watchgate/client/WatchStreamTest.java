package io.watchgate.client;

import static io.watchgate.client.ScriptedGateway.bookmark;
import static io.watchgate.client.ScriptedGateway.change;
import static io.watchgate.client.ScriptedGateway.events;
import static io.watchgate.client.ScriptedGateway.opened;
import static io.watchgate.client.ScriptedGateway.snapshotStarted;
import static io.watchgate.client.ScriptedGateway.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.client.ScriptedGateway.Stream;
import io.watchgate.client.WatchUpdate.Bookmark;
import io.watchgate.client.WatchUpdate.Changes;
import io.watchgate.client.WatchUpdate.Ended;
import io.watchgate.client.WatchUpdate.Interrupted;
import io.watchgate.client.WatchUpdate.Opened;
import io.watchgate.client.WatchUpdate.Reconnected;
import io.watchgate.client.WatchUpdate.SnapshotBegun;
import io.watchgate.client.WatchUpdate.SnapshotComplete;
import io.watchgate.client.WatchUpdate.SnapshotObjects;
import io.watchgate.proto.v1.Delivery;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.SnapshotReason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of blocking watch streams and of listeners that request updates. */
@Tag("slow")
final class WatchStreamTest extends WatchCallFixture {
  private static final Duration LONG = Duration.ofMinutes(3);

  private static <T extends WatchUpdate> T read(WatchStream stream, Class<T> kind)
      throws InterruptedException {
    WatchUpdate update = stream.next(LONG).orElseThrow();
    assertThat(update).isInstanceOf(kind);
    return kind.cast(update);
  }

  // ---- end of the client

  @Test
  void closedClient_startsNoWatch() {
    client.close();

    assertThatThrownBy(() -> client.open(PODS)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void clientClosedWhileWatchStarts_endsIt() throws Exception {
    for (int i = 0; i < 300; i++) {
      WatchClient closed = WatchClient.to("in-process", 1).channel(channel()).build();
      CompletableFuture<Void> closing = CompletableFuture.runAsync(closed::close);
      try (WatchStream stream = closed.open(PODS)) {
        assertThatThrownBy(() -> stream.next(LONG)).isInstanceOf(CancellationException.class);
      } catch (IllegalStateException e) {
        assertThat(e).hasMessage("the client is closed");
      }
      closing.get(3, TimeUnit.MINUTES);
    }
  }

  // ---- blocking reads

  @Test
  void updates_areReadInOrder() throws Exception {
    try (WatchStream stream = client.open(PODS)) {
      gateway.next().snapshot(10, "a", "b").send(change(11, "a"));

      read(stream, Opened.class);
      read(stream, SnapshotBegun.class);
      assertThat(names(read(stream, SnapshotObjects.class).objects())).containsExactly("a", "b");
      read(stream, SnapshotComplete.class);
      assertThat(stream.lastToken()).isEqualTo(token(10));
      assertThat(names(read(stream, Changes.class).events())).containsExactly("a");
      assertThat(stream.lastToken()).isEqualTo(token(11));
      assertThat(stream.next(Duration.ofMillis(20))).isEmpty();
    }
  }

  @Test
  void updateAfterTimeout_isReadNext() throws Exception {
    try (WatchStream stream = client.open(PODS)) {
      Stream there = gateway.next();
      assertThat(stream.next(Duration.ofMillis(20))).isEmpty();
      assertThat(stream.next(Duration.ofMillis(20))).isEmpty();
      there.send(change(11, "a")).send(change(12, "b"));

      assertThat(names(read(stream, Changes.class).events())).containsExactly("a");
      assertThat(names(read(stream, Changes.class).events())).containsExactly("b");
    }
  }

  @Test
  void close_endsIteration() throws Exception {
    WatchStream stream = client.open(PODS);
    List<WatchUpdate> read = new CopyOnWriteArrayList<>();
    CompletableFuture<Void> loop =
        CompletableFuture.runAsync(
            () -> {
              for (WatchUpdate update : stream) {
                read.add(update);
              }
            });
    Stream there = gateway.next().send(change(11, "a"));
    await().until(() -> !read.isEmpty());
    stream.close();

    loop.get(3, TimeUnit.MINUTES);
    assertThat(read).hasSize(1);
    await().until(there.responses()::isCancelled);
    assertThatThrownBy(stream::next).isInstanceOf(CancellationException.class);
  }

  @Test
  void closingClient_endsReading() throws Exception {
    WatchStream stream = client.open(PODS);
    CompletableFuture<Boolean> reading =
        CompletableFuture.supplyAsync(() -> stream.iterator().hasNext());
    gateway.next();
    client.close();

    assertThat(reading.get(3, TimeUnit.MINUTES)).isFalse();
  }

  @Test
  void interrupt_endsReadButNotWatch() throws Exception {
    try (WatchStream stream = client.open(PODS)) {
      Stream there = gateway.next();
      Thread.currentThread().interrupt();
      assertThatThrownBy(stream::next).isInstanceOf(InterruptedException.class);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> stream.iterator().hasNext())
          .isInstanceOf(CancellationException.class);
      assertThat(Thread.interrupted()).isTrue();
      there.send(change(11, "a"));

      read(stream, Changes.class);
    }
  }

  @Test
  void finalError_isThrownAfterAllUpdates() throws Exception {
    try (WatchStream stream = client.open(PODS)) {
      gateway
          .next()
          .send(change(11, "a"))
          .send(change(12, "b"))
          .fail(Status.Code.PERMISSION_DENIED, "FORBIDDEN", "STOP");

      read(stream, Changes.class);
      read(stream, Changes.class);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> stream.next(LONG))
            .isInstanceOfSatisfying(
                WatchEndedException.class,
                ended -> {
                  assertThat(ended.error().code()).isEqualTo(Status.Code.PERMISSION_DENIED);
                  assertThat(ended.error().reason()).isEqualTo("FORBIDDEN");
                  assertThat(ended.error().action()).isEqualTo(ErrorAction.STOP);
                });
      }
    }
  }

  @Test
  void stream_resumesAndDropsInvalidToken() throws Exception {
    try (WatchStream stream = client.open(PODS)) {
      Stream first = gateway.next().send(change(11, "a"));
      read(stream, Changes.class);
      first.fail(Status.UNAVAILABLE, new Metadata());
      read(stream, Interrupted.class);
      assertThat(stream.lastToken()).isEqualTo(token(11));
      await().until(() -> timers.next().toSeconds() < 60);
      timers.runNext();
      Stream second = gateway.next();
      assertThat(second.request().getResumeToken()).isEqualTo(token(11));
      second.fail(Status.Code.OUT_OF_RANGE, "TOKEN_UNUSABLE", "RESTART");

      assertThat(read(stream, Interrupted.class).attempt()).isEqualTo(2);
      assertThat(stream.lastToken()).isEqualTo(ByteString.EMPTY);
      await().until(() -> timers.next().toSeconds() < 60);
      timers.runNext();
      gateway.next().snapshot(20, "a");
      read(stream, Opened.class);
      read(stream, Reconnected.class);
    }
  }

  // ---- requested updates

  @Test
  void listener_receivesOnlyRequestedUpdates() throws Exception {
    WatchCall call = client.watchOnDemand(PODS, listener);
    Stream there = gateway.next().snapshot(10, "a");
    call.request(2);
    listener.next(SnapshotBegun.class);
    assertThat(listener.rest()).isEmpty();
    assertThat(call.lastToken()).isEqualTo(ByteString.EMPTY);
    call.request(2);
    listener.next(SnapshotObjects.class);
    listener.next(SnapshotComplete.class);
    await().until(() -> call.lastToken().equals(token(10)));
    await().until(there.responses()::isReady); // the response after the snapshot is requested
    int sent = 0;
    while (there.responses().isReady() && sent < 1_000) {
      there.send(bookmark(11 + sent++));
    }

    assertThat(sent).as("responses that were not requested").isPositive().isLessThan(5);
    call.request(Long.MAX_VALUE);
    for (int i = 0; i < sent; i++) {
      listener.next(Bookmark.class);
    }
  }

  @Test
  void unrequestedBookmark_doesNotHoldBackThePositionOfItsChanges() {
    WatchCall call = client.watchOnDemand(PODS, listener);
    Stream there = gateway.next().snapshot(10, "a");
    call.request(4);
    listener.next(SnapshotBegun.class);
    listener.next(SnapshotObjects.class);
    listener.next(SnapshotComplete.class);
    there.send(change(11, "b").setBookmark(io.watchgate.proto.v1.Bookmark.getDefaultInstance()));
    call.request(1);

    listener.next(Changes.class);
    await().until(() -> call.lastToken().equals(token(11)));
    assertThat(listener.rest()).isEmpty();
    call.request(1);
    listener.next(Bookmark.class);
  }

  @Test
  void request_belowOneIsRefused() {
    WatchCall call = client.watchOnDemand(PODS, listener);
    assertThatThrownBy(() -> call.request(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void timeWithoutDemand_isNotSilence() {
    WatchCall call = client.watchOnDemand(PODS, listener);
    Stream there = gateway.next().send(bookmark(10));
    call.request(1);
    listener.next(Bookmark.class);
    await().until(there.responses()::isReady);
    there.send(bookmark(11)); // the reply is here once this returns
    for (int i = 0; i < 5; i++) {
      timers.runNext();
    }
    call.request(2);

    listener.next(Bookmark.class);
    await().until(there.responses()::isReady);
    timers.runNext();
    assertThat(listener.next(Interrupted.class).cause()).isInstanceOf(Interruption.Silence.class);
  }

  @Test
  void streamWithBookmarkInterval_hasOneTimer() {
    WatchCall call =
        client.watchOnDemand(
            PODS.toBuilder()
                .setDelivery(
                    Delivery.newBuilder()
                        .setBookmarkInterval(
                            com.google.protobuf.Duration.newBuilder().setSeconds(300)))
                .build(),
            listener);
    call.request(2);
    gateway.next().send(opened(Duration.ofMinutes(5)));
    listener.next(Opened.class);
    assertThat(timers.size()).isEqualTo(1);

    call.close();
    await().until(timers::idle);
  }

  @Test
  void unrequestedUpdates_areSentByNextStream() {
    WatchCall call = client.watchOnDemand(PODS, listener);
    Stream first =
        gateway
            .next()
            .send(opened(Duration.ofSeconds(30)))
            .send(snapshotStarted(SnapshotReason.SNAPSHOT_REASON_REQUESTED))
            .send(events(EventType.EVENT_TYPE_ADDED, "a"));
    call.request(2);
    listener.next(SnapshotBegun.class); // and nothing of the buffered updates
    first.fail(Status.UNAVAILABLE, new Metadata());
    Stream second = opensAnother();
    second.snapshot(12, "b");
    call.request(100);

    Interrupted interrupted = listener.next(Interrupted.class);
    assertThat(interrupted.snapshotDiscarded()).isTrue();
    listener.next(Reconnected.class);
    listener.next(SnapshotBegun.class);
    assertThat(names(listener.next(SnapshotObjects.class).objects())).containsExactly("b");
    listener.next(SnapshotComplete.class);
  }

  /**
   * Runs timers until the next stream opens. The silence timer ends with its stream; the timer for
   * the next stream is due earlier.
   */
  private Stream opensAnother() {
    await().until(() -> timers.next().toSeconds() < 60);
    timers.runNext();
    return gateway.next();
  }

  @Test
  void unrequestedInterruptions_onlyLastIsDelivered() {
    WatchCall call = client.watchOnDemand(PODS, listener);
    for (int attempt = 0; attempt < 5; attempt++) {
      (attempt == 0 ? gateway.next() : opensAnother()).fail(Status.UNAVAILABLE, new Metadata());
    }
    opensAnother();
    call.request(1);

    assertThat(listener.next(Interrupted.class).attempt()).isEqualTo(5);
    assertThat(listener.rest()).isEmpty();
  }

  @Test
  void unrequestedEnd_opensNoStream() {
    WatchCall call = client.watchOnDemand(PODS, listener);
    gateway.next().fail(Status.Code.NOT_FOUND, "TYPE_UNKNOWN", "STOP");
    await().until(timers::idle);
    assertThat(listener.rest()).isEmpty();
    call.request(1);

    assertThat(listener.next(Ended.class).error().reason()).isEqualTo("TYPE_UNKNOWN");
    assertThat(gateway.nothingWaits()).isTrue();
  }

  @Test
  void throwingListener_cancelsStreamWithoutDemand() {
    WatchCall call =
        client.watchOnDemand(
            PODS,
            update -> {
              listener.onUpdate(update);
              if (update instanceof Bookmark) {
                throw new IllegalStateException("broken on purpose");
              }
            });
    Stream there = gateway.next().send(bookmark(10));
    call.request(1);
    listener.next(Bookmark.class);

    await().until(there.responses()::isCancelled);
    assertThat(listener.rest()).isEmpty();
    call.request(1);
    assertThat(listener.next(Ended.class).error().message()).contains("broken on purpose");
  }
}
