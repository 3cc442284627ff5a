package io.watchgate.client;

import static io.watchgate.client.ScriptedGateway.at;
import static io.watchgate.client.ScriptedGateway.bookmark;
import static io.watchgate.client.ScriptedGateway.change;
import static io.watchgate.client.ScriptedGateway.opened;
import static io.watchgate.client.ScriptedGateway.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.client.ScriptedGateway.Stream;
import io.watchgate.client.WatchUpdate.Bookmark;
import io.watchgate.client.WatchUpdate.Continuation;
import io.watchgate.client.WatchUpdate.Ended;
import io.watchgate.client.WatchUpdate.Interrupted;
import io.watchgate.client.WatchUpdate.Reconnected;
import io.watchgate.client.WatchUpdate.SnapshotBegun;
import io.watchgate.client.WatchUpdate.SnapshotComplete;
import io.watchgate.client.WatchUpdate.SnapshotObjects;
import io.watchgate.proto.v1.GoingAway;
import io.watchgate.proto.v1.GoingAwayReason;
import io.watchgate.proto.v1.ListAndWatchRequest;
import io.watchgate.proto.v1.ListResourceTypesResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of attempts, waits and final errors after the end of a stream. */
@Tag("slow")
class WatchCallReconnectTest extends WatchCallFixture {
  @Test
  void restartAction_opensStreamWithoutToken() {
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
    assertThat(reconnected.lastPosition()).contains(new Position("11", token(11)));
  }

  /** A restored cluster may never reach a version of the history before. */
  @Test
  void otherHistory_isWatchedWithoutMinimumVersion() {
    client.watch(PODS.toBuilder().setMinimumResourceVersion("7").build(), listener);
    gateway.next().fail(Status.Code.OUT_OF_RANGE, "POSITION_EXPIRED", "RESTART");
    listener.next(Interrupted.class);
    timers.runNext();
    Stream second = gateway.next();
    assertThat(second.request().getMinimumResourceVersion()).isEqualTo("7");

    second.fail(Status.Code.OUT_OF_RANGE, "HISTORY_LOST", "RESTART");
    listener.next(Interrupted.class);
    timers.runNext();

    assertThat(gateway.next().request().getMinimumResourceVersion()).isEmpty();
  }

  @Test
  void stopAction_endsWatch() {
    client.watch(PODS, listener);
    gateway.next().fail(Status.Code.NOT_FOUND, "TYPE_UNKNOWN", "STOP");

    assertThat(listener.next(Ended.class).error())
        .isEqualTo(
            new WatchError(
                Status.Code.NOT_FOUND,
                "TYPE_UNKNOWN",
                ErrorAction.STOP,
                "TYPE_UNKNOWN it is",
                Duration.ZERO));
    assertThat(timers.idle()).isTrue();
  }

  @ParameterizedTest
  @EnumSource(value = Status.Code.class, names = "OK", mode = EnumSource.Mode.EXCLUDE)
  void errorWithoutReason_ofAnyCode_isResumed(Status.Code code) {
    client.watch(PODS, listener);
    gateway.next().fail(code.toStatus(), new Metadata());

    assertThat(listener.next(Interrupted.class).cause().action()).isEqualTo(ErrorAction.RESUME);
    timers.runNext();
    gateway.next().snapshot(10, "a");
    listener.until(SnapshotComplete.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = Status.Code.class,
      names = {"OK", "UNAVAILABLE", "CANCELLED", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"},
      mode = EnumSource.Mode.EXCLUDE)
  void anErrorWithoutReason_beforeAnyGatewayAnswered_endsAfterFiveMinutes(Status.Code code) {
    client.watch(PODS, listener);
    Duration passed = Duration.ZERO;
    Optional<WatchError> end = Optional.empty();
    while (end.isEmpty()) {
      gateway.next().fail(code.toStatus().withDescription("HTTP status code 404"), new Metadata());
      WatchUpdate update = listener.next(WatchUpdate.class);
      if (update instanceof Ended ended) {
        end = Optional.of(ended.error());
      } else {
        passed = passed.plus(timers.runNext());
      }
    }
    assertThat(passed).isBetween(Duration.ofMinutes(5), Duration.ofSeconds(331));
    assertThat(end.get().code()).isEqualTo(code);
    assertThat(end.get().action()).isEqualTo(ErrorAction.STOP);
    assertThat(end.get().origin()).isEqualTo(WatchError.Origin.OTHER_SERVER);
    assertThat(end.get().message())
        .contains("no Watchgate has answered", code + ", HTTP status code 404", "Check host");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a stream", "an error with a reason", "an error that says STOP", "a call"})
  void anErrorWithoutReason_onceAGatewayAnswered_isResumedWithoutEnd(String answer) {
    if (answer.equals("a call")) {
      gateway.types = ListResourceTypesResponse.getDefaultInstance();
      client.listResourceTypes(Duration.ofMinutes(3));
    } else if (answer.equals("an error that says STOP")) {
      RecordingListener stopped = new RecordingListener();
      client.watch(PODS, stopped);
      gateway.next().fail(Status.Code.NOT_FOUND, "TYPE_UNKNOWN", "STOP");
      stopped.until(Ended.class);
    }
    client.watch(PODS, listener);
    if (answer.equals("a stream")) {
      Stream first = gateway.next().snapshot(10, "a");
      listener.until(SnapshotComplete.class);
      first.fail(Status.NOT_FOUND, new Metadata());
    } else if (answer.equals("an error with a reason")) {
      gateway.next().fail(Status.Code.UNAVAILABLE, "STARTING", "RESUME");
    } else {
      gateway.next().fail(Status.NOT_FOUND, new Metadata());
    }
    Duration passed = Duration.ZERO;
    while (passed.compareTo(Duration.ofHours(2)) < 0) {
      listener.next(Interrupted.class);
      passed = passed.plus(timers.runNext());
      gateway.next().fail(Status.PERMISSION_DENIED, new Metadata());
    }
    listener.next(Interrupted.class);
    timers.runNext();
    gateway.next().snapshot(12, "a");
    assertThat(listener.until(Reconnected.class).attempts()).isGreaterThan(200);
  }

  @Test
  void unavailable_beforeGatewayAnswer_isRetriedForever() {
    client.watch(PODS, listener);
    Duration passed = Duration.ZERO;
    while (passed.compareTo(Duration.ofHours(1)) < 0) {
      gateway.next().fail(Status.UNAVAILABLE, new Metadata());
      listener.next(Interrupted.class);
      passed = passed.plus(timers.runNext());
    }
  }

  @Test
  void upstreamForbidden_isRetriedSlowly() {
    client.watch(PODS, listener);
    gateway.next().fail(Status.Code.UNAVAILABLE, "UPSTREAM_FORBIDDEN", "RESUME");

    assertThat(listener.next(Interrupted.class).delay())
        .isGreaterThanOrEqualTo(Duration.ofSeconds(10));
  }

  @Test
  void okEnd_beforeGatewayAnswer_endsWatchAfterFiveMinutes() {
    client.watch(PODS, listener);
    Duration passed = Duration.ZERO;
    Optional<WatchError> end = Optional.empty();
    while (end.isEmpty() && passed.compareTo(Duration.ofMinutes(10)) < 0) {
      gateway.next().responses().onCompleted();
      WatchUpdate update = listener.next(WatchUpdate.class);
      if (update instanceof Ended ended) {
        end = Optional.of(ended.error());
      } else {
        passed = passed.plus(timers.runNext());
      }
    }
    assertThat(passed).isBetween(Duration.ofMinutes(5), Duration.ofSeconds(331));
    assertThat(end.orElseThrow().message())
        .contains("no Watchgate has answered", "UNKNOWN, the stream ended without an error");
  }

  @Test
  void okEnd_isReconnected() {
    client.watch(PODS, listener);
    gateway.next().responses().onCompleted();

    Interruption cause = listener.next(Interrupted.class).cause();
    assertThat(cause.action()).isEqualTo(ErrorAction.RESUME);
    timers.runNext();
    gateway.next();
  }

  @Test
  void goingAway_reconnectsWithinRequestedTime() {
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
  void threeSilentIntervals_replaceStream() {
    client.watch(PODS, listener);
    Stream first = gateway.next();
    first.send(opened(Duration.ofSeconds(2))).send(bookmark(10));
    listener.next(Bookmark.class);
    await().until(first.responses()::isReady); // the wait for the next response starts here
    assertThat(timers.runNext()).isEqualTo(Duration.ofSeconds(6));

    assertThat(listener.next(Interrupted.class).cause())
        .isEqualTo(new Interruption.Silence(Duration.ofSeconds(6)));
    await().until(first.responses()::isCancelled);
    timers.runNext();
    assertThat(gateway.next().request().getResumeToken()).isEqualTo(token(10));
  }

  @Test
  void silenceTimeout_isLimitedByContract() {
    client.watch(PODS, listener);
    Stream first = gateway.next();
    first.send(opened(Duration.ofDays(1))).send(bookmark(10));
    listener.next(Bookmark.class);
    await().until(first.responses()::isReady);
    timers.runNext();

    assertThat(listener.next(Interrupted.class).cause())
        .isEqualTo(new Interruption.Silence(Duration.ofMinutes(15)));
  }

  @Test
  void streamWithBookmarks_isNotSilent() {
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
  void retryInfo_isMinimumWait() {
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
  void backoff_growsAndResetsAfterProgress() {
    client.watch(PODS, listener);
    List<Duration> waits =
        IntStream.of(500, 1_000, 2_000, 4_000, 8_000, 16_000).mapToObj(Duration::ofMillis).toList();
    for (Duration expected : waits) {
      gateway.next().fail(Status.UNAVAILABLE, new Metadata());
      assertThat(listener.next(Interrupted.class).delay()).isEqualTo(expected);
      timers.runNext();
    }
    gateway.next().fail(Status.UNAVAILABLE, new Metadata());
    Interrupted capped = listener.next(Interrupted.class);
    assertThat(capped.delay()).isEqualTo(Backoff.CAP);
    assertThat(capped.attempt()).isEqualTo(waits.size() + 1);
    timers.runNext();
    Stream stream = gateway.next().snapshot(10, "a");
    listener.next(Reconnected.class);
    listener.next(SnapshotBegun.class);
    listener.next(SnapshotObjects.class);
    listener.next(SnapshotComplete.class);
    stream.fail(Status.UNAVAILABLE, new Metadata());

    assertThat(listener.next(Interrupted.class).delay()).isEqualTo(Backoff.BASE);
  }
}
