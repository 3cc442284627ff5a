package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.Freshness;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.Upstream;
import io.watchgate.cache.UpstreamLookups;
import io.watchgate.encode.Position;
import io.watchgate.encode.TokenCheck;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.SnapshotReason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Tests of tokens on a replica that is behind them, was started after them, or has another
 * timeline.
 */
final class OtherReplicaTest {
  private static final SampleObject A = SampleObject.of("n1", "a", 5);
  private static final SampleObject B = SampleObject.of("n1", "b", 6);
  private static final SampleObject C = SampleObject.of("n1", "c", 7);

  /** Replica that sent the token. */
  private final CacheUnderTest first = new CacheUnderTest();

  /** Replica that receives the token. */
  private final CacheUnderTest second = new CacheUnderTest();

  private final Upstreams upstream = new Upstreams();

  OtherReplicaTest() {
    second.writer.setUpstreamLookups(upstream);
  }

  /** Look-ups that the test answers. */
  private static final class Upstreams implements UpstreamLookups {
    final List<CompletableFuture<Progress>> progress = new ArrayList<>();
    final List<CompletableFuture<Boolean>> pasts = new ArrayList<>();
    final List<String> reached = new ArrayList<>();

    @Override
    public CompletionStage<Progress> requestProgress() {
      progress.add(new CompletableFuture<>());
      return progress.getLast();
    }

    @Override
    public CompletionStage<Boolean> backfill(ResourceVersion version) {
      reached.add(version.digits());
      pasts.add(new CompletableFuture<>());
      return pasts.getLast();
    }

    void isAt(long version) {
      progress.getLast().complete(new At(new ResourceVersion(Long.toString(version))));
    }
  }

  /** Returns a token of the first replica's head. */
  private StartPoint token() {
    Position position = Position.of(first.writer.head());
    return new StartPoint.Token(new TokenCheck.Good(position));
  }

  private ControlledResponseSink resume(StreamRequest asking) {
    return second.subscribe(asking.from(token()));
  }

  private ControlledResponseSink resume() {
    return resume(StreamRequest.EVERYTHING);
  }

  private static List<String> events(ControlledResponseSink sink) {
    return sink.responses().stream()
        .flatMap(response -> response.getEventsList().stream())
        .map(event -> event.getType().name().substring(11) + " " + event.getKey().getName())
        .toList();
  }

  private static boolean resumed(ControlledResponseSink sink) {
    return sink.responses().stream().anyMatch(ListAndWatchResponse::hasResumed);
  }

  private static @Nullable SnapshotReason snapshot(ControlledResponseSink sink) {
    return sink.responses().stream()
        .filter(ListAndWatchResponse::hasSnapshotStarted)
        .map(response -> response.getSnapshotStarted().getReason())
        .reduce((before, after) -> after)
        .orElse(null);
  }

  private static @Nullable ErrorReason end(ControlledResponseSink sink) {
    ApiError refusal = sink.refusal();
    return refusal == null ? null : refusal.reason();
  }

  // ---- tokens older than the replica

  @Test
  void tokenOlderThanTheReplica_getsTheBackfilledChanges() {
    first.writer.list(10, A, C);
    second.writer.list(20, A.at(12), B.at(18));
    ControlledResponseSink sink = resume();
    assertThat(upstream.reached).containsExactly("10");
    assertThat(resumed(sink)).isFalse();

    assertThat(
            second.writer.backfill(
                10,
                List.of(A, C),
                watchSink -> {
                  send(watchSink, Upstream.EventType.MODIFIED, A.at(12));
                  send(watchSink, Upstream.EventType.DELETED, C.at(14));
                  send(watchSink, Upstream.EventType.ADDED, B.at(18));
                }))
        .isTrue();
    upstream.pasts.getLast().complete(true);
    second.run();
    second.writer.put(A.at(21));
    second.run();

    assertThat(resumed(sink)).isTrue();
    assertThat(snapshot(sink)).isNull();
    assertThat(events(sink)).containsExactly("MODIFIED a", "DELETED c", "ADDED b", "MODIFIED a");
  }

  @Test
  void disconnectPolicy_getsTheBackfilledChanges() {
    first.writer.list(10, A);
    second.writer.list(20, A.at(12));
    ControlledResponseSink sink =
        resume(StreamRequest.EVERYTHING.lagging(LagPolicy.LAG_POLICY_DISCONNECT));

    second.writer.backfill(
        10, List.of(A), watchSink -> send(watchSink, Upstream.EventType.MODIFIED, A.at(12)));
    upstream.pasts.getLast().complete(true);
    second.run();

    assertThat(end(sink)).isNull();
    assertThat(events(sink)).containsExactly("MODIFIED a");
  }

  @Test
  void unavailableBackfill_sendsASnapshot() {
    first.writer.list(10, A);
    second.writer.list(20, A.at(12));
    ControlledResponseSink sink = resume();
    upstream.pasts.getLast().complete(false);
    second.run();

    assertThat(snapshot(sink)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED);
    assertThat(upstream.reached).hasSize(1);
  }

  @Test
  void backfillTimeout_sendsASnapshot() {
    first.writer.list(10, A);
    second.writer.list(20, A.at(12));
    ControlledResponseSink sink = resume();
    second.pass(FanoutSettings.DEFAULTS.backfillTimeout().minusMillis(20));
    assertThat(snapshot(sink)).isNull();

    second.pass(Duration.ofMillis(40));
    upstream.pasts.getLast().complete(false);
    second.run();

    assertThat(snapshot(sink)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_POSITION_EXPIRED);
    assertThat(sink.responses().stream().filter(ListAndWatchResponse::hasSynced)).hasSize(1);
  }

  /** The cluster was restored before the second replica started, and has passed the version. */
  @Test
  void backfillWithAnotherDigest_isALostHistory() {
    first.writer.list(10, A, C);
    second.writer.list(20, A.at(12));
    ControlledResponseSink sink = resume();

    second.writer.backfill(
        10, List.of(A), watchSink -> send(watchSink, Upstream.EventType.MODIFIED, A.at(12)));
    upstream.pasts.getLast().complete(true);
    second.run();
    assertThat(upstream.reached).containsExactly("10", "9");
    upstream.pasts.getLast().complete(false);
    second.run();

    assertThat(snapshot(sink)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
  }

  /** Three objects were deleted in one transaction, and the client has seen the first delete. */
  @Test
  void tokenBetweenDeletesOfOneVersion_getsTheRest() {
    first.writer.list(10, A, B, C);
    first.writer.event(Upstream.EventType.DELETED, A.at(15));
    second.writer.list(20);
    ControlledResponseSink sink = resume();
    second.writer.backfill(15, List.of(), watchSink -> {});
    upstream.pasts.getLast().complete(true);
    second.run();
    assertThat(snapshot(sink)).isNull();
    assertThat(upstream.reached).containsExactly("15", "14");

    second.writer.backfill(
        14,
        List.of(A, B, C),
        watchSink -> {
          send(watchSink, Upstream.EventType.DELETED, A.at(15));
          send(watchSink, Upstream.EventType.DELETED, B.at(15));
          send(watchSink, Upstream.EventType.DELETED, C.at(15));
        });
    upstream.pasts.getLast().complete(true);
    second.run();

    assertThat(snapshot(sink)).isNull();
    assertThat(events(sink)).containsExactly("DELETED b", "DELETED c");
  }

  /**
   * History from that version comes by the request of another stream, and the answer comes late.
   */
  @Test
  void lateAnswerForOneVersion_doesNotEndTheWaitForTheNext() {
    first.writer.list(10, A, B);
    first.writer.event(Upstream.EventType.DELETED, A.at(15));
    second.writer.list(20);
    ControlledResponseSink sink = resume();
    second.writer.backfill(15, List.of(), watchSink -> {});
    second.writer.bookmark(21);
    second.run();
    assertThat(upstream.reached).containsExactly("15", "14");

    upstream.pasts.getFirst().complete(true);
    second.run();
    assertThat(snapshot(sink)).isNull();
    assertThat(resumed(sink)).isFalse();

    second.writer.backfill(
        14,
        List.of(A, B),
        watchSink -> {
          send(watchSink, Upstream.EventType.DELETED, A.at(15));
          send(watchSink, Upstream.EventType.DELETED, B.at(15));
        });
    upstream.pasts.getLast().complete(true);
    second.run();
    assertThat(snapshot(sink)).isNull();
    assertThat(events(sink)).containsExactly("DELETED b");
  }

  // ---- tokens ahead of the replica

  @Test
  void tokenAhead_resumesWithoutALookupWhenItsVersionArrives() {
    first.writer.list(10, A);
    first.writer.put(B.at(15));
    second.writer.list(10, A);
    ControlledResponseSink sink = resume();
    second.pass(Duration.ofSeconds(2));
    second.writer.put(B.at(15));
    second.writer.put(A.at(16));
    second.run();

    assertThat(resumed(sink)).isTrue();
    assertThat(events(sink)).containsExactly("MODIFIED a");
    assertThat(upstream.progress).isEmpty();
  }

  @Test
  void tokenAheadOfTheApiserver_isOfALostHistory() {
    first.writer.list(10, A);
    first.writer.put(B.at(500));
    second.writer.list(40, A);
    ControlledResponseSink sink = resume();
    second.pass(FanoutSettings.DEFAULTS.positionTimeout().plusMillis(10));
    assertThat(upstream.progress).hasSize(1);
    assertThat(snapshot(sink)).isNull();

    upstream.isAt(60);
    second.run();

    assertThat(snapshot(sink)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
  }

  @Test
  void tokenThatTheApiserverHasReached_waitsUntilTheTimeout() {
    first.writer.list(10, A);
    first.writer.put(B.at(50));
    second.writer.list(40, A);
    ControlledResponseSink sink = resume();
    second.pass(FanoutSettings.DEFAULTS.positionTimeout().plusMillis(10));
    upstream.isAt(60);
    second.pass(FanoutSettings.DEFAULTS.upstreamLookupTimeout().minusMillis(30));
    assertThat(end(sink)).isNull();

    second.pass(Duration.ofMillis(40));

    assertThat(end(sink)).isEqualTo(ErrorReason.ERROR_REASON_BEHIND);
  }

  @Test
  void failedLookup_endsAsBehind() {
    first.writer.list(10, A);
    first.writer.put(B.at(50));
    second.writer.list(40, A);
    ControlledResponseSink sink = resume();
    second.pass(FanoutSettings.DEFAULTS.positionTimeout().plusMillis(10));
    upstream.progress.getLast().complete(new UpstreamLookups.Unknown("away"));
    second.run();

    assertThat(end(sink)).isEqualTo(ErrorReason.ERROR_REASON_BEHIND);
  }

  @Test
  void minimumVersion_isLookedUpUpstream() {
    second.writer.list(40, A);
    ControlledResponseSink sink = second.subscribe(StreamRequest.EVERYTHING.atLeast(50));
    second.pass(FanoutSettings.DEFAULTS.positionTimeout().plusMillis(10));
    upstream.isAt(60);
    second.run();
    assertThat(events(sink)).isEmpty();

    second.writer.bookmark(60);
    second.run();

    assertThat(events(sink)).containsExactly("ADDED a");
  }

  /** Versions of the restored cluster do not compare with the minimum. */
  @Test
  void minimumVersion_afterLostHistory_doesNotCount() {
    second.writer.list(1_200, A);
    ControlledResponseSink sink = second.subscribe(StreamRequest.EVERYTHING.atLeast(1_000));
    second.writer.list(500, B);
    second.run();

    assertThat(end(sink)).isNull();
    assertThat(snapshot(sink)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
    assertThat(events(sink)).containsExactly("ADDED a", "ADDED b");
  }

  @Test
  void tokenOfLostHistory_withMinimumVersion_isToldTheLoss() {
    first.writer.list(1_200, A);
    second.writer.list(1_200, A);
    second.writer.list(500, B);
    ControlledResponseSink sink = resume(StreamRequest.EVERYTHING.atLeast(1_000));
    second.pass(FanoutSettings.DEFAULTS.positionTimeout().plusMillis(10));

    assertThat(snapshot(sink)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
    assertThat(events(sink)).containsExactly("ADDED b");
  }

  @Test
  void minimumVersion_isReachedByProof() {
    second.writer.list(40, A);
    second
        .writer
        .cache()
        .setFreshnessLookup(
            () -> {
              second.writer.proveEqual(60);
              return CompletableFuture.completedStage(
                  new Freshness.Proven(new ResourceVersion("60")));
            });
    ControlledResponseSink sink = second.subscribe(StreamRequest.EVERYTHING.atLeast(50));
    assertThat(events(sink)).isEmpty();

    second.pass(FanoutSettings.PROOF_DELAY.plusMillis(200));
    second.run();

    assertThat(events(sink)).containsExactly("ADDED a");
    assertThat(sink.responses().getLast().getResourceVersion()).isEqualTo("60");
    assertThat(upstream.progress).isEmpty();

    // Of an object that was created and deleted before the proof.
    second.writer.put(B.at(55));
    second.writer.delete(B.at(55), 56);
    second.writer.put(B.at(61));
    second.run();

    assertThat(events(sink)).containsExactly("ADDED a", "ADDED b");
  }

  /** Without changes until the restore, so that the type looks like a quiet one. */
  @Test
  void changeBelowTheFloor_afterARestore_isSent() {
    first.writer.list(500, A);
    second.writer.list(40, A);
    ControlledResponseSink sink = resume();
    assertThat(resumed(sink)).isTrue();

    second.writer.put(B.at(41));
    second.run();
    assertThat(events(sink)).isEmpty();
    upstream.isAt(41);
    second.run();

    assertThat(snapshot(sink)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
    assertThat(events(sink)).containsExactlyInAnyOrder("ADDED a", "ADDED b");
    second.writer.put(B.at(42));
    second.run();
    assertThat(events(sink)).endsWith("MODIFIED b");
  }

  /** An object created and deleted before the token is already known to the client. */
  @Test
  void changeBelowTheFloor_isSkippedIfTheApiserverIsPastIt() {
    first.writer.list(500, A);
    second.writer.list(40, A);
    ControlledResponseSink sink = resume();
    second.writer.put(B.at(41));
    second.run();
    upstream.isAt(510);
    second.writer.delete(B, 43);
    second.run();
    second.writer.put(C.at(501));
    second.run();

    assertThat(snapshot(sink)).isNull();
    assertThat(events(sink)).containsExactly("ADDED c");
    assertThat(upstream.progress).hasSize(1);
  }

  private static void send(
      Upstream.WatchSink watchSink, Upstream.EventType type, SampleObject object) {
    byte[] bytes = object.json().getBytes(StandardCharsets.UTF_8);
    watchSink.event(type, bytes, 0, bytes.length);
  }
}
