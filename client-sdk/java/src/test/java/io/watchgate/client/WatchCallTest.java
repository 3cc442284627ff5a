package io.watchgate.client;

import static io.watchgate.client.ScriptedGateway.bookmark;
import static io.watchgate.client.ScriptedGateway.change;
import static io.watchgate.client.ScriptedGateway.events;
import static io.watchgate.client.ScriptedGateway.netEffectStarted;
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
import io.watchgate.client.WatchUpdate.Interrupted;
import io.watchgate.client.WatchUpdate.Opened;
import io.watchgate.client.WatchUpdate.Reconnected;
import io.watchgate.client.WatchUpdate.SnapshotBegun;
import io.watchgate.client.WatchUpdate.SnapshotComplete;
import io.watchgate.client.WatchUpdate.SnapshotObjects;
import io.watchgate.proto.v1.ChangeEncoding;
import io.watchgate.proto.v1.EventType;
import io.watchgate.proto.v1.FromNow;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.NetEffectReason;
import io.watchgate.proto.v1.ObjectPatch;
import io.watchgate.proto.v1.Projection;
import io.watchgate.proto.v1.Resumed;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.WatchEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of delivered updates and of the position with which a watch resumes. */
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
    assertThat(reconnected.lastPosition()).contains(new Position("11", token(11)));
    assertThat(reconnected.attempts()).isEqualTo(1);
    assertThat(reconnected.outage()).isEqualTo(interrupted.delay());
    assertThat(names(listener.next(Changes.class).events())).containsExactly("b");
  }

  @Test
  void firstStream_usesTokenOfRequest() {
    WatchCall call = client.watch(PODS.toBuilder().setResumeToken(token(5)).build(), listener);
    Stream stream = gateway.next();

    assertThat(stream.request().getResumeToken()).isEqualTo(token(5));
    assertThat(call.lastToken()).isEqualTo(token(5));
    stream.fail(Status.UNAVAILABLE, new Metadata());
    listener.next(Interrupted.class);
    timers.runNext();
    assertThat(gateway.next().request().getResumeToken()).isEqualTo(token(5));
  }

  @Test
  void incompleteSnapshot_isDroppedAndTokenKept() {
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
  void tokenInsideSnapshot_isIgnored() {
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
  void restartedFirstSnapshot_missesNothing() {
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
  void netEffect_isBufferedUntilToken() {
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
  void incompleteNetEffect_isDropped() {
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
  void tooLargeGroup_restartsWithSnapshot() {
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
  void eventThatCannotBeApplied_restartsWithSnapshot() {
    WatchEvent unknown = WatchEvent.newBuilder().setTypeValue(99).build();
    WatchEvent patched =
        WatchEvent.newBuilder()
            .setType(EventType.EVENT_TYPE_MODIFIED)
            .setPatch(ObjectPatch.getDefaultInstance())
            .build();
    List<Duration> waits = new ArrayList<>();
    WatchCall call = client.watch(PODS, listener);
    for (WatchEvent event : List.of(unknown, patched)) {
      gateway.next().snapshot(10, "a").send(change(11, "a").addEvents(event));

      Interrupted interrupted = listener.until(Interrupted.class);
      assertThat(interrupted.cause().action()).isEqualTo(ErrorAction.RESTART);
      assertThat(call.lastToken()).isEqualTo(ByteString.EMPTY);
      waits.add(timers.runNext());
    }
    assertThat(gateway.next().request()).isEqualTo(PODS);
    // The snapshot in between is no progress, so that snapshots become rarer.
    assertThat(waits.get(1)).isGreaterThan(waits.get(0));
  }

  @Test
  void requestedPatch_isDelivered() {
    client.watch(
        PODS.toBuilder()
            .setProjection(
                Projection.newBuilder().setChangeEncoding(ChangeEncoding.CHANGE_ENCODING_PATCH))
            .build(),
        listener);
    WatchEvent.Builder patched = change(11, "a").getEvents(0).toBuilder();
    patched.setPatch(ObjectPatch.getDefaultInstance());
    gateway.next().snapshot(10, "a").send(change(11, "a").setEvents(0, patched));

    assertThat(listener.until(Changes.class).events()).containsExactly(patched.build());
  }

  @Test
  void watchFromNow_withoutToken_reportsMissedChanges() {
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
  void minimumVersion_isSentUntilFirstToken() {
    client.watch(PODS.toBuilder().setMinimumResourceVersion("7").build(), listener);
    Stream first = gateway.next();
    assertThat(first.request().getMinimumResourceVersion()).isEqualTo("7");
    first.send(bookmark(10));
    listener.next(Bookmark.class);
    first.fail(Status.UNAVAILABLE, new Metadata());
    listener.next(Interrupted.class);
    timers.runNext();

    assertThat(gateway.next().request().getMinimumResourceVersion()).isEmpty();
  }
}
