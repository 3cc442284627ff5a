package io.watchgate.client;

import static io.watchgate.client.ScriptedGateway.bookmark;
import static io.watchgate.client.ScriptedGateway.change;
import static io.watchgate.client.ScriptedGateway.events;
import static io.watchgate.client.ScriptedGateway.snapshotStarted;
import static io.watchgate.client.ScriptedGateway.synced;
import static io.watchgate.client.ScriptedGateway.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.client.ScriptedGateway.Stream;
import io.watchgate.client.WatchUpdate.Bookmark;
import io.watchgate.client.WatchUpdate.Changes;
import io.watchgate.client.WatchUpdate.Ended;
import io.watchgate.client.WatchUpdate.Interrupted;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.SnapshotReason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Tests of listeners that are slow, throw, or close their watch. */
class WatchCallListenerTest extends WatchCallFixture {
  /** Listener that records updates and blocks on updates of one type until it is released. */
  private final class Busy implements WatchListener {
    private final Predicate<WatchUpdate> kind;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    Busy(Predicate<WatchUpdate> kind) {
      this.kind = kind;
    }

    @Override
    public void onUpdate(WatchUpdate update) {
      listener.onUpdate(update);
      if (kind.test(update)) {
        begun.countDown();
        awaitLatch(released);
      }
    }

    void await() throws InterruptedException {
      begun.await();
    }

    void release() {
      released.countDown();
    }
  }

  /** Listener that throws until its watch ends; then it records whether a stream is due. */
  private final class Throwing implements WatchListener {
    private final CountDownLatch thrown = new CountDownLatch(1);
    private final AtomicBoolean opensNoStream = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);

    @Override
    public void onUpdate(WatchUpdate update) {
      if (update instanceof Ended) {
        opensNoStream.set(timers.idle());
        ended.countDown();
      } else {
        thrown.countDown();
        throw new IllegalStateException("on purpose");
      }
    }
  }

  @Test
  void slowListener_isNotSilence() throws Exception {
    Busy busy = new Busy(update -> update instanceof Bookmark);
    client.watch(PODS, busy);
    Stream first = gateway.next().send(bookmark(10));
    busy.await();
    timers.pass(Duration.ofMinutes(10));
    timers.runNext();
    first.send(bookmark(11));
    busy.release();

    listener.next(Bookmark.class);
    listener.next(Bookmark.class);
    assertThat(listener.rest()).isEmpty();
  }

  @Test
  void throwingListener_isStillNotifiedOfEnd() {
    CountDownLatch over = new CountDownLatch(1);
    client.watch(
        PODS,
        new WatchListener() {
          @Override
          public void onUpdate(WatchUpdate update) {
            throw new AssertionError("on purpose");
          }

          @Override
          public void onClosed() {
            over.countDown();
          }
        });
    gateway.next().snapshot(10, "a");
    awaitLatch(over);
  }

  @Test
  void listenerThatThrowsOnInterruption_endsItsWatch() {
    Throwing listenerThatThrows = new Throwing();
    WatchCall call = client.watchOnDemand(PODS, listenerThatThrows);
    call.request(1);
    gateway.next().fail(Status.UNAVAILABLE, new Metadata());
    awaitLatch(listenerThatThrows.thrown);
    call.request(1); // runs after what was to follow the interruption

    awaitLatch(listenerThatThrows.ended);
    assertThat(listenerThatThrows.opensNoStream).isTrue();
    await().until(timers::idle);
    assertThat(gateway.nothingWaits()).isTrue();
  }

  @Test
  void listenerThatThrowsDuringBackoff_opensNoStream() {
    Throwing listenerThatThrows = new Throwing();
    WatchCall call = client.watchOnDemand(PODS, listenerThatThrows);
    gateway.next().fail(Status.UNAVAILABLE, new Metadata());
    await().until(() -> !timers.idle());
    call.request(1); // the interruption
    awaitLatch(listenerThatThrows.thrown);
    timers.runSet();
    call.request(1); // the end

    awaitLatch(listenerThatThrows.ended);
    assertThat(listenerThatThrows.opensNoStream).isTrue();
    assertThat(gateway.nothingWaits()).isTrue();
  }

  @Test
  void closeDuringBackoff_opensNoStream() {
    WatchCall call = client.watch(PODS, listener);
    gateway.next().fail(Status.UNAVAILABLE, new Metadata());
    listener.next(Interrupted.class);
    await().until(() -> !timers.idle());
    call.close();

    await().until(timers::idle);
    assertThat(listener.rest()).isEmpty();
    assertThat(gateway.nothingWaits()).isTrue();
  }

  @Test
  void closeByListener_endsUpdates() {
    AtomicInteger calls = new AtomicInteger();
    WatchCall[] call = new WatchCall[1];
    CountDownLatch started = new CountDownLatch(1);
    call[0] =
        client.watch(
            PODS,
            update -> {
              awaitLatch(started);
              calls.incrementAndGet();
              call[0].close();
            });
    started.countDown();
    Stream stream = gateway.next().snapshot(10, "a");

    await().until(stream.responses()::isCancelled);
    assertThat(calls).hasValue(1);
    assertThat(call[0].lastToken()).isEqualTo(ByteString.EMPTY);
  }

  @Test
  void closeByListener_keepsTokenOfProcessedUpdate() {
    WatchCall[] call = new WatchCall[1];
    CountDownLatch started = new CountDownLatch(1);
    call[0] =
        client.watch(
            PODS,
            update -> {
              awaitLatch(started);
              if (update instanceof Changes) {
                call[0].close();
              }
            });
    started.countDown();
    Stream stream = gateway.next().snapshot(10, "a").send(change(11, "a"));

    await().until(stream.responses()::isCancelled);
    await().until(() -> call[0].lastToken().equals(token(11)));
  }

  @Test
  void closingClient_endsWatches() {
    client.watch(PODS, listener);
    Stream stream = gateway.next().send(bookmark(10));
    listener.next(Bookmark.class);
    client.close();

    await().until(stream.responses()::isCancelled);
    await().until(timers::idle);
    assertThat(listener.rest()).isEmpty();
  }

  @Test
  void listener_isNotifiedOnceOfEnd() {
    List<String> calls = new CopyOnWriteArrayList<>();
    record Recording(String name, List<String> calls) implements WatchListener {
      @Override
      public void onUpdate(WatchUpdate update) {
        if (update instanceof Ended) {
          calls.add(name + " has ended");
        }
      }

      @Override
      public void onClosed() {
        calls.add(name + " is over");
      }
    }
    WatchCall closed = client.watch(PODS, new Recording("closed", calls));
    gateway.next();
    closed.close();
    closed.close();
    await().until(() -> calls.size() == 1);
    client.watch(PODS, new Recording("refused", calls));
    gateway.next().fail(Status.Code.NOT_FOUND, "TYPE_UNKNOWN", "STOP");
    await().until(() -> calls.size() == 3);
    client.watch(PODS, new Recording("left", calls));
    gateway.next();
    client.close();

    await().until(() -> calls.size() == 4); // close() waits for the client's threads, but not long
    assertThat(calls)
        .containsExactly("closed is over", "refused has ended", "refused is over", "left is over");
  }

  @Test
  void slowListener_limitsResponses() throws Exception {
    int quick = 30;
    AtomicInteger calls = new AtomicInteger();
    Busy busy = new Busy(update -> calls.incrementAndGet() == quick);
    client.watch(PODS, busy);
    Stream stream = gateway.next();
    for (int i = 1; i <= quick; i++) {
      stream.send(bookmark(i));
    }
    busy.await();
    int more = 0;
    while (stream.responses().isReady() && more < 1_000) {
      stream.send(bookmark(quick + ++more));
    }

    assertThat(more).isLessThanOrEqualTo(8);
    busy.release();
    for (int i = 0; i < quick + more; i++) {
      listener.next(Bookmark.class);
    }
    await().until(stream.responses()::isReady);
  }

  @Test
  void slowListener_limitsSnapshotParts() throws Exception {
    Busy busy = new Busy(update -> update instanceof WatchUpdate.SnapshotObjects);
    client.watch(PODS, busy);
    Stream stream = gateway.next();
    for (int i = 1; i <= 30; i++) {
      stream.send(bookmark(i));
    }
    for (int i = 1; i <= 30; i++) {
      listener.next(Bookmark.class);
    }
    stream.send(snapshotStarted(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED));
    for (int i = 1; i <= 10; i++) {
      stream.send(events(EventType.EVENT_TYPE_ADDED, "a" + i));
    }
    busy.await();

    assertThat(stream.responses().isReady()).isFalse();
    busy.release();
    stream.send(synced(31));
    listener.until(WatchUpdate.SnapshotComplete.class);
  }

  @Test
  void throwingListener_endsWatch() {
    WatchCall call =
        client.watch(
            PODS,
            update -> {
              listener.onUpdate(update);
              if (update instanceof Bookmark) {
                throw new IllegalStateException("broken on purpose");
              }
            });
    Stream stream = gateway.next().send(bookmark(10));

    listener.next(Bookmark.class);
    assertThat(listener.next(Ended.class).error().message()).contains("broken on purpose");
    await().until(stream.responses()::isCancelled);
    assertThat(call.lastToken()).isEqualTo(ByteString.EMPTY);
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
