package io.watchgate.client;

import static io.watchgate.client.ScriptedGateway.at;
import static io.watchgate.client.ScriptedGateway.bookmark;
import static io.watchgate.client.ScriptedGateway.change;
import static io.watchgate.client.ScriptedGateway.events;
import static io.watchgate.client.ScriptedGateway.netEffectStarted;
import static io.watchgate.client.ScriptedGateway.opened;
import static io.watchgate.client.ScriptedGateway.snapshotStarted;
import static io.watchgate.client.ScriptedGateway.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.client.ScriptedGateway.Stream;
import io.watchgate.client.WatchUpdate.Bookmark;
import io.watchgate.client.WatchUpdate.Changes;
import io.watchgate.client.WatchUpdate.Continuation;
import io.watchgate.client.WatchUpdate.Ended;
import io.watchgate.client.WatchUpdate.Interrupted;
import io.watchgate.client.WatchUpdate.Opened;
import io.watchgate.client.WatchUpdate.Reconnected;
import io.watchgate.client.WatchUpdate.SnapshotBegun;
import io.watchgate.client.WatchUpdate.SnapshotComplete;
import io.watchgate.client.WatchUpdate.SnapshotObjects;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.FromNow;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.SnapshotReason;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WatchCallTest extends WatchCallFixture {

  @Test
  void deliversASnapshotAndThenChanges() {
    WatchCall call = client.watch(PODS, listener);
    Stream stream = gateway.next();
    stream.snapshot(10, "a", "b").send(change(11, "a")).send(bookmark(12));

    assertThat(stream.request()).isEqualTo(PODS);
    listener.next(Opened.class);
    assertThat(listener.next(SnapshotBegun.class).reason())
        .isEqualTo(SnapshotReason.SNAPSHOT_REASON_REQUESTED);
    assertThat(names(listener.next(SnapshotObjects.class).objects())).containsExactly("a", "b");
    assertThat(listener.next(SnapshotComplete.class).position().resourceVersion()).isEqualTo("10");
    Changes changes = listener.next(Changes.class);
    assertThat(names(changes.events())).containsExactly("a");
    assertThat(changes.netEffect()).isEmpty();
    assertThat(listener.next(Bookmark.class).position()).contains(new Position("12", token(12)));
    await().until(() -> call.lastToken().equals(token(12)));
  }

  @Test
  void resumesWithTheLastToken() {
    client.watch(PODS, listener);
    Stream first = gateway.next().snapshot(10, "a").send(change(11, "a"));
    awaitChanges();
    first.fail(Status.UNAVAILABLE.withDescription("gone"), new Metadata());
    Interrupted interrupted = listener.next(Interrupted.class);
    assertThat(timers.runNext()).isEqualTo(interrupted.delay());

    Stream second = gateway.next();
    assertThat(second.request().getResumeToken()).isEqualTo(token(11));
    second.resumed(11).send(change(12, "b"));

    Reconnected reconnected = listener.next(Reconnected.class);
    assertThat(reconnected.continuation()).isEqualTo(Continuation.RESUMED);
    assertThat(reconnected.last()).contains(new Position("11", token(11)));
    assertThat(reconnected.attempts()).isEqualTo(1);
    assertThat(reconnected.away()).isEqualTo(interrupted.delay());
    assertThat(names(listener.next(Changes.class).events())).containsExactly("b");
  }

  @Test
  void beginsWithTheTokenOfTheRequest() {
    WatchCall call = client.watch(PODS.toBuilder().setResumeToken(token(5)).build(), listener);
    Stream stream = gateway.next();

    assertThat(stream.request().getResumeToken()).isEqualTo(token(5));
    assertThat(call.lastToken()).isEqualTo(token(5));
    stream.fail(Status.UNAVAILABLE, new Metadata());
    timers.runNext();
    assertThat(gateway.next().request().getResumeToken()).isEqualTo(token(5));
  }

  @Test
  void dropsAHalfSnapshotAndKeepsTheTokenBeforeIt() {
    client.watch(PODS, listener);
    Stream first = gateway.next().snapshot(10, "a").send(change(11, "a"));
    awaitChanges();
    first.send(snapshotStarted(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED));
    first.send(events(EventType.EVENT_TYPE_ADDED, "half"));
    listener.next(SnapshotBegun.class);
    listener.next(SnapshotObjects.class);
    first.fail(Status.UNAVAILABLE, new Metadata());

    assertThat(listener.next(Interrupted.class).snapshotDiscarded()).isTrue();
    timers.runNext();
    assertThat(gateway.next().request().getResumeToken()).isEqualTo(token(11));
  }

  @Test
  void aTokenInsideASnapshotIsNotKept() {
    WatchCall call = client.watch(PODS, listener);
    Stream first = gateway.next();
    first.send(snapshotStarted(SnapshotReason.SNAPSHOT_REASON_REQUESTED));
    first.send(change(10, "a"));
    listener.next(SnapshotBegun.class);
    listener.next(SnapshotObjects.class);
    first.fail(Status.UNAVAILABLE, new Metadata());
    listener.next(Interrupted.class);
    timers.runNext();

    assertThat(gateway.next().request().getResumeToken()).isEqualTo(ByteString.EMPTY);
    assertThat(call.lastToken()).isEqualTo(ByteString.EMPTY);
  }

  @Test
  void aFirstSnapshotThatIsBegunAgainMissesNothing() {
    client.watch(PODS, listener);
    Stream first = gateway.next();
    first.send(snapshotStarted(SnapshotReason.SNAPSHOT_REASON_REQUESTED));
    listener.next(SnapshotBegun.class);
    first.fail(Status.UNAVAILABLE, new Metadata());
    listener.next(Interrupted.class);
    timers.runNext();
    gateway.next().snapshot(10, "a");

    assertThat(listener.next(Reconnected.class).continuation())
        .isEqualTo(Continuation.STARTED_OVER);
  }

  @Test
  void holdsANetEffectBackUntilItsToken() {
    client.watch(PODS, listener);
    Stream stream = gateway.next().snapshot(10, "a").send(change(11, "a"));
    awaitChanges();
    stream.send(netEffectStarted());
    stream.send(events(EventType.EVENT_TYPE_DELETED, "a"));
    stream.send(ListAndWatchResponse.newBuilder().setBookmark(bookmark(1).getBookmark()));
    stream.send(change(20, "b"));

    assertThat(listener.next(Bookmark.class).position()).isEmpty();
    Changes changes = listener.next(Changes.class);
    assertThat(names(changes.events())).containsExactly("a", "b");
    assertThat(changes.position()).isEqualTo(new Position("20", token(20)));
    assertThat(changes.netEffect())
        .contains(new WatchUpdate.NetEffect(NetEffectReason.NET_EFFECT_REASON_UPSTREAM_GAP, 7));
  }

  @Test
  void dropsAHalfNetEffect() {
    client.watch(PODS, listener);
    Stream first = gateway.next().snapshot(10, "a").send(change(11, "a"));
    awaitChanges();
    first.send(netEffectStarted());
    first.send(events(EventType.EVENT_TYPE_DELETED, "a"));
    first.fail(Status.UNAVAILABLE, new Metadata());
    listener.next(Interrupted.class);
    timers.runNext();
    Stream second = gateway.next();
    second.resumed(11).send(change(12, "b"));

    assertThat(second.request().getResumeToken()).isEqualTo(token(11));
    listener.next(Reconnected.class);
    Changes changes = listener.next(Changes.class);
    assertThat(names(changes.events())).containsExactly("b");
    assertThat(changes.netEffect()).isEmpty();
  }

  @Test
  void takesASnapshotInsteadOfAGroupThatIsTooLargeToHold() {
    client.watch(PODS, listener);
    Stream first = gateway.next().snapshot(10, "a").send(change(11, "a"));
    awaitChanges();
    first.send(netEffectStarted());
    first.send(events(EventType.EVENT_TYPE_DELETED, "x".repeat(1 << 20)));

    assertThat(listener.next(Interrupted.class).cause())
        .isEqualTo(new Interruption.GroupTooLarge(1 << 20));
    timers.runNext();
    Stream second = gateway.next().snapshot(20, "b");
    assertThat(second.request()).isEqualTo(PODS);
    assertThat(listener.next(Reconnected.class).continuation()).isEqualTo(Continuation.SNAPSHOT);
    await().until(first.responses()::isCancelled);
  }

  @Test
  void restartsWithoutTokenWhenTheErrorSaysSo() {
    ListAndWatchRequest atVersion = PODS.toBuilder().setResourceVersion("9").build();
    WatchCall call = client.watch(atVersion, listener);
    Stream first = gateway.next().resumed(9).send(change(11, "a"));
    awaitChanges();
    first.fail(Status.Code.OUT_OF_RANGE, "POSITION_EXPIRED", "RESTART");
    listener.next(Interrupted.class);
    assertThat(call.lastToken()).isEqualTo(ByteString.EMPTY);
    timers.runNext();

    Stream second = gateway.next();
    assertThat(second.request().getStartCase())
        .isEqualTo(ListAndWatchRequest.StartCase.START_NOT_SET);
    second.snapshot(20, "a");
    Reconnected reconnected = listener.next(Reconnected.class);
    assertThat(reconnected.continuation()).isEqualTo(Continuation.SNAPSHOT);
    assertThat(reconnected.last()).contains(new Position("11", token(11)));
  }

  @Test
  void endsWithTheErrorWhenItSaysStop() {
    client.watch(PODS, listener);
    gateway.next().fail(Status.Code.NOT_FOUND, "TYPE_UNKNOWN", "STOP");

    assertThat(listener.next(Ended.class).error())
        .isEqualTo(
            new WatchError(
                Status.Code.NOT_FOUND,
                "TYPE_UNKNOWN",
                Action.STOP,
                "TYPE_UNKNOWN it is",
                Duration.ZERO));
    assertThat(timers.idle()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE,true",
    "CANCELLED,true",
    "UNKNOWN,true",
    "INTERNAL,true",
    "RESOURCE_EXHAUSTED,true",
    "DEADLINE_EXCEEDED,true",
    "UNIMPLEMENTED,false",
    "UNAUTHENTICATED,false",
    "PERMISSION_DENIED,false",
    "INVALID_ARGUMENT,false",
    "NOT_FOUND,false",
    "DATA_LOSS,false",
    "OUT_OF_RANGE,false",
    "ABORTED,false",
    "ALREADY_EXISTS,false",
    "FAILED_PRECONDITION,false"
  })
  void anErrorWithoutActionIsJudgedByItsCode(Status.Code code, boolean resumes) {
    client.watch(PODS, listener);
    gateway.next().fail(code.toStatus(), new Metadata());

    if (resumes) {
      assertThat(listener.next(Interrupted.class).cause().action()).isEqualTo(Action.RESUME);
    } else {
      assertThat(listener.next(Ended.class).error().code()).isEqualTo(code);
    }
  }

  @Test
  void aStreamThatEndsWithoutAnErrorIsOpenedAgain() {
    client.watch(PODS, listener);
    gateway.next().responses().onCompleted();

    Interruption cause = listener.next(Interrupted.class).cause();
    assertThat(cause.action()).isEqualTo(Action.RESUME);
    timers.runNext();
    gateway.next();
  }

  @Test
  void leavesAStreamThatIsGoingAwayAndOpensTheNextWithinTheTimeNamed() {
    client.watch(PODS, listener);
    Stream first = gateway.next().snapshot(10, "a").send(change(11, "a"));
    awaitChanges();
    first.send(
        at(12)
            .setGoingAway(
                GoingAway.newBuilder()
                    .setReason(GoingAwayReason.GOING_AWAY_REASON_DRAINING)
                    .setReconnectWithin(com.google.protobuf.Duration.newBuilder().setSeconds(5))));

    Interrupted interrupted = listener.next(Interrupted.class);
    assertThat(interrupted.cause())
        .isEqualTo(
            new Interruption.GoingAway(
                GoingAwayReason.GOING_AWAY_REASON_DRAINING, Duration.ofSeconds(5)));
    assertThat(interrupted.delay()).isEqualTo(Duration.ofSeconds(5));
    await().until(first.responses()::isCancelled);
    assertThat(timers.runNext()).isEqualTo(Duration.ofSeconds(5));
    assertThat(gateway.next().request().getResumeToken()).isEqualTo(token(12));
  }

  @Test
  void leavesAStreamThatIsSilentForThreeBookmarkIntervals() {
    client.watch(PODS, listener);
    Stream first = gateway.next();
    first.send(opened(Duration.ofSeconds(2))).send(bookmark(10));
    listener.next(Bookmark.class);
    // Set for the default interval before the gateway named its own.
    assertThat(timers.runNext()).isEqualTo(Duration.ofSeconds(90));

    assertThat(listener.next(Interrupted.class).cause())
        .isEqualTo(new Interruption.Silence(Duration.ofSeconds(6)));
    await().until(first.responses()::isCancelled);
    timers.runNext();
    assertThat(gateway.next().request().getResumeToken()).isEqualTo(token(10));
  }

  @Test
  void aStreamWithBookmarksIsNotSilent() {
    client.watch(PODS, listener);
    Stream first = gateway.next();
    for (int i = 0; i < 10; i++) {
      timers.pass(Duration.ofSeconds(60));
      first.send(bookmark(10 + i));
      listener.next(Bookmark.class);
    }
    await().until(() -> !timers.idle());
    timers.runNext();
    first.send(bookmark(20));

    listener.next(Bookmark.class);
    assertThat(gateway.nothingWaits()).isTrue();
  }

  @Test
  void timeThatTheListenerTakesIsNotSilence() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    client.watch(
        PODS,
        update -> {
          listener.onUpdate(update);
          if (update instanceof Bookmark && busy.getCount() > 0) {
            busy.countDown();
            awaitLatch(release);
          }
        });
    Stream first = gateway.next().send(bookmark(10));
    busy.await();
    timers.pass(Duration.ofMinutes(10));
    timers.runNext();
    first.send(bookmark(11));
    release.countDown();

    listener.next(Bookmark.class);
    listener.next(Bookmark.class);
    assertThat(listener.rest()).isEmpty();
  }

  @Test
  void waitsAtLeastAsLongAsRetryInfoSays() {
    client.watch(PODS, listener);
    Metadata trailers = new Metadata();
    trailers.put(
        Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER),
        WatchErrorTest.details(Duration.ofSeconds(7)));
    gateway.next().fail(Status.UNAVAILABLE, trailers);

    assertThat(listener.next(Interrupted.class).delay())
        .isEqualTo(Duration.ofSeconds(7).plus(Backoff.BASE));
  }

  @Test
  void waitsLongerWithEachFailureAndShortAgainAfterProgress() {
    client.watch(PODS, listener);
    for (Duration expected = Backoff.BASE;
        expected.compareTo(Backoff.CAP) < 0;
        expected = expected.multipliedBy(2)) {
      gateway.next().fail(Status.UNAVAILABLE, new Metadata());
      assertThat(listener.next(Interrupted.class).delay()).isEqualTo(expected);
      timers.runNext();
    }
    gateway.next().fail(Status.UNAVAILABLE, new Metadata());
    Interrupted capped = listener.next(Interrupted.class);
    assertThat(capped.delay()).isEqualTo(Backoff.CAP);
    assertThat(capped.attempt()).isEqualTo(8);
    timers.runNext();
    Stream stream = gateway.next().snapshot(10, "a");
    listener.next(Reconnected.class);
    listener.next(SnapshotBegun.class);
    listener.next(SnapshotObjects.class);
    listener.next(SnapshotComplete.class);
    stream.fail(Status.UNAVAILABLE, new Metadata());

    assertThat(listener.next(Interrupted.class).delay()).isEqualTo(Backoff.BASE);
  }

  @Test
  void aCallClosedWhileItWaitsOpensNothingMore() {
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
  void aCallClosedByItsListenerIsToldNothingMore() {
    AtomicInteger told = new AtomicInteger();
    WatchCall[] call = new WatchCall[1];
    CountDownLatch started = new CountDownLatch(1);
    call[0] =
        client.watch(
            PODS,
            update -> {
              awaitLatch(started);
              told.incrementAndGet();
              call[0].close();
            });
    started.countDown();
    Stream stream = gateway.next().snapshot(10, "a");

    await().until(stream.responses()::isCancelled);
    assertThat(told).hasValue(1);
    assertThat(call[0].lastToken()).isEqualTo(ByteString.EMPTY);
  }

  @Test
  void theTokenOfAnUpdateThatWasTakenInIsKeptThoughItsListenerEndedTheWatch() {
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
  void closingTheClientEndsItsWatches() {
    client.watch(PODS, listener);
    Stream stream = gateway.next().send(bookmark(10));
    listener.next(Bookmark.class);
    client.close();

    await().until(stream.responses()::isCancelled);
    await().until(timers::idle);
    assertThat(listener.rest()).isEmpty();
  }

  @Test
  void aSlowListenerIsSentNoMoreThanItTakes() throws Exception {
    int quick = 30;
    AtomicInteger told = new AtomicInteger();
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    client.watch(
        PODS,
        update -> {
          listener.onUpdate(update);
          if (told.incrementAndGet() == quick) {
            busy.countDown();
            awaitLatch(release);
          }
        });
    Stream stream = gateway.next();
    for (int i = 1; i <= quick; i++) {
      stream.send(bookmark(i));
    }
    busy.await();
    int more = 0;
    while (stream.responses().isReady() && more < 1_000) {
      stream.send(bookmark(quick + ++more));
    }

    assertThat(more).isLessThan(5);
    release.countDown();
    for (int i = 0; i < quick + more; i++) {
      listener.next(Bookmark.class);
    }
    await().until(stream.responses()::isReady);
  }

  @Test
  void withoutATokenAWatchFromNowSaysThatItMissed() {
    client.watch(PODS.toBuilder().setFromNow(FromNow.getDefaultInstance()).build(), listener);
    gateway.next().fail(Status.UNAVAILABLE, new Metadata());
    listener.next(Interrupted.class);
    timers.runNext();
    Stream second = gateway.next();
    second.send(ListAndWatchResponse.newBuilder().setResumed(Resumed.getDefaultInstance()));

    assertThat(second.request().hasFromNow()).isTrue();
    assertThat(listener.next(Reconnected.class).continuation()).isEqualTo(Continuation.FROM_NOW);
  }

  @Test
  void theMinimumVersionIsAskedForOnlyUntilThereIsAToken() {
    client.watch(PODS.toBuilder().setMinimumResourceVersion("7").build(), listener);
    Stream first = gateway.next();
    assertThat(first.request().getMinimumResourceVersion()).isEqualTo("7");
    first.send(bookmark(10));
    listener.next(Bookmark.class);
    first.fail(Status.UNAVAILABLE, new Metadata());
    timers.runNext();

    assertThat(gateway.next().request().getMinimumResourceVersion()).isEmpty();
  }

  @Test
  void aListenerThatThrowsEndsItsWatch() {
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

  private void awaitChanges() {
    listener.until(Changes.class);
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
