package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.Freshness;
import io.watchgate.cache.HistoryId;
import io.watchgate.cache.ResourceVersion;
import io.watchgate.cache.SampleObject;
import io.watchgate.cache.UpstreamFailure;
import io.watchgate.cache.UpstreamState;
import io.watchgate.cache.VirtualTime;
import io.watchgate.encode.ByteSlices;
import io.watchgate.encode.ListAndWatchFormat;
import io.watchgate.encode.ObjectProjection;
import io.watchgate.encode.ProtoTime;
import io.watchgate.encode.SelectionTokens;
import io.watchgate.error.ApiError;
import io.watchgate.error.ApiException;
import io.watchgate.error.StreamErrors;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ExpiredPositionPolicy;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchResponse;
import io.watchgate.proto.v1.SnapshotReason;
import io.watchgate.proto.v1.StreamOpened;
import io.watchgate.select.CompiledSelection;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of situations that random runs rarely or never reach. */
final class SubscriptionTest {
  private static final SampleObject A = SampleObject.of("n1", "a", 5);
  private static final SampleObject B = SampleObject.of("n1", "b", 6);

  private static final CompiledSelection ALL = SampleSelection.ALL.getFirst().selection();

  private final VirtualTime time = new VirtualTime();
  private final ManualExecutor thread = new ManualExecutor();
  private final StreamLoop loop =
      new StreamLoop(0, thread, time, time.source(), FanoutMetrics.NONE);
  private final RouterRegistry routers =
      new RouterRegistry(thread, thread, time, FanoutSettings.DEFAULTS.limits());
  private FanoutMetrics metrics = FanoutMetrics.NONE;
  private @Nullable Duration maxStaleness;
  private StreamOptions.StalenessScope stalenessScope = StreamOptions.StalenessScope.STREAM;
  private CacheWriter writer = new CacheWriter(CacheWriter.settings(), time.source());

  private static SelectionTokens tokens(CompiledSelection selection) {
    return SelectionTokens.of(
        new HistoryId("c", CacheWriter.DEFINITION), selection, ObjectProjection.FULL);
  }

  private Subscription open(LagPolicy lagPolicy, CompiledSelection selection, ResponseSink sink) {
    return open(lagPolicy, selection, new StartPoint.Snapshot(), sink);
  }

  private Subscription open(
      LagPolicy lagPolicy, CompiledSelection selection, StartPoint start, ResponseSink sink) {
    Subscription subscription = make(lagPolicy, selection, start, sink);
    subscription.open();
    return subscription;
  }

  private Subscription make(
      LagPolicy lagPolicy, CompiledSelection selection, StartPoint start, ResponseSink sink) {
    try {
      return new Subscription(
          new Subscription.Environment(
              loop,
              loop.servingOrder(0),
              routers,
              routers.shared(),
              FanoutSettings.DEFAULTS,
              time.source(),
              metrics),
          writer.lease(() -> {}),
          new Subscription.Request(
              selection,
              new ListAndWatchFormat(ObjectProjection.FULL, tokens(selection)),
              new StreamOptions(
                  lagPolicy,
                  ExpiredPositionPolicy.EXPIRED_POSITION_POLICY_SNAPSHOT,
                  Duration.ZERO,
                  Duration.ofSeconds(30),
                  4 << 20,
                  maxStaleness,
                  null,
                  stalenessScope),
              start,
              StreamOpened.getDefaultInstance()),
          sink);
    } catch (ApiException e) {
      throw new AssertionError(e);
    }
  }

  private Subscription subscribe(LagPolicy lagPolicy, ResponseSink sink) {
    Subscription subscription = open(lagPolicy, ALL, sink);
    thread.runAll();
    return subscription;
  }

  /** Limits pinned revisions to a few objects of 1 KiB. */
  private void smallBounds() {
    CacheSettings small =
        CacheWriter.settings().withHistory(Duration.ofHours(1), 4_000).withLaggardBytes(4_000);
    writer = new CacheWriter(small, time.source());
  }

  private static List<SampleObject> large(long version) {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      objects.add(SampleObject.of("n1", "o" + i, version + i).padding(1_000));
    }
    return objects;
  }

  private static List<String> names(ListAndWatchResponse response) {
    return response.getEventsList().stream().map(event -> event.getKey().getName()).toList();
  }

  /** The gauge of open streams rises with the first call and falls with the last. */
  @Test
  void streamThatNeverBegan_isNotCounted() {
    List<String> counted = new ArrayList<>();
    metrics =
        (FanoutMetrics)
            Proxy.newProxyInstance(
                FanoutMetrics.class.getClassLoader(),
                new Class<?>[] {FanoutMetrics.class},
                (proxy, method, arguments) -> {
                  counted.add(method.getName());
                  return null;
                });
    writer.list(10, A);
    RecordingResponseSink refused = new RecordingResponseSink(RecordingResponseSink.ALL);
    Subscription before =
        make(LagPolicy.LAG_POLICY_RESYNC, ALL, new StartPoint.Snapshot(), refused);
    before.terminate(StreamErrors.draining());
    before.open();
    Subscription left =
        make(
            LagPolicy.LAG_POLICY_RESYNC,
            ALL,
            new StartPoint.Snapshot(),
            new RecordingResponseSink(RecordingResponseSink.ALL));
    left.transportClosed(ClientEnd.CLIENT);
    left.open();
    thread.runAll();

    assertThat(refused.refusal()).isEqualTo(StreamErrors.draining());
    assertThat(counted).isEmpty();
    Subscription open = subscribe(LagPolicy.LAG_POLICY_RESYNC, new RecordingResponseSink(1));
    open.terminate(StreamErrors.draining());
    thread.runAll();
    assertThat(counted).contains("streamOpened", "streamEnded");
  }

  @Test
  void failedStream_endsAloneAndReturnsItsLease() {
    writer.list(10, A);
    FailingSink failing = new FailingSink();
    RecordingResponseSink other = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, failing);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, other);

    failing.failing = true;
    writer.put(B.at(11));
    thread.runAll();
    writer.put(B.at(12));
    thread.runAll();

    assertThat(failing.failures).isEqualTo(1);
    assertThat(other.sent).extracting(SubscriptionTest::names).endsWith(List.of("b"), List.of("b"));
    assertThat(time.waitingTasks()).as("timers: one bookmark").isEqualTo(1);
  }

  /** For example, because the transport's memory is exhausted. */
  @Test
  void transportError_endsOnlyItsStream() {
    writer.list(10, A);
    FailingSink failing = new FailingSink();
    failing.failure = new OutOfMemoryError("on purpose");
    RecordingResponseSink other = new RecordingResponseSink(RecordingResponseSink.ALL);
    open(LagPolicy.LAG_POLICY_RESYNC, SampleSelection.ALL.get(4).selection(), failing);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, other);

    failing.failing = true;
    for (long version = 11; version < 14; version++) {
      writer.put(B.at(version));
      thread.runAll();
    }

    assertThat(failing.failures).isEqualTo(1);
    assertThat(other.sent)
        .extracting(SubscriptionTest::names)
        .endsWith(List.of("b"), List.of("b"), List.of("b"));
    assertThat(time.waitingTasks()).as("timers: one bookmark").isEqualTo(1);
  }

  @Test
  void cacheEndedBeforeItsFirstList_endsTheStream() {
    writer.upstream(UpstreamState.ReflectorPhase.TOO_LARGE, null);
    RecordingResponseSink sink = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, sink);

    assertThat(Objects.requireNonNull(sink.refusal()).reason())
        .isEqualTo(ErrorReason.ERROR_REASON_MEMORY);
  }

  @Test
  void typeDeletedWhileLoading_endsWithTypeGone() {
    RecordingResponseSink sink = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, sink);
    writer.upstream(
        UpstreamState.ReflectorPhase.GONE, new UpstreamFailure.TypeGone("404 Not Found"));
    thread.runAll();

    assertThat(Objects.requireNonNull(sink.refusal()).reason())
        .isEqualTo(ErrorReason.ERROR_REASON_TYPE_GONE);
  }

  @Test
  void scanWithoutMatches_yieldsToOthers() {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      objects.add(SampleObject.of("n1", "o" + i, 5));
    }
    writer.list(10, objects);
    RecordingResponseSink sink = new RecordingResponseSink(RecordingResponseSink.ALL);
    open(LagPolicy.LAG_POLICY_RESYNC, SampleSelection.ALL.get(1).selection(), sink);
    int turns = 0;
    while (sink.sent.stream().noneMatch(ListAndWatchResponse::hasSynced)) {
      assertThat(thread.runOne()).isTrue();
      turns++;
    }
    assertThat(turns).isGreaterThan(4);
  }

  @Test
  void bookmarkOfALoadingType_hasNoProof() {
    RecordingResponseSink sink = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, sink);

    time.advance(Duration.ofSeconds(30));
    thread.runAll();

    ListAndWatchResponse bookmark = sink.sent.getLast();
    assertThat(bookmark.hasBookmark()).isTrue();
    assertThat(bookmark.getBookmark().hasVerifiedAt()).isFalse();
    assertThat(bookmark.getResumeToken().isEmpty()).isTrue();
  }

  @Test
  void snapshot_hasTheStalenessOfItsRevision() {
    writer.list(10, A);
    RecordingResponseSink sink = new RecordingResponseSink(2); // opened, and the snapshot's start
    Subscription subscription = subscribe(LagPolicy.LAG_POLICY_RESYNC, sink);
    time.advance(Duration.ofSeconds(4));
    writer.prove();
    time.advance(Duration.ofSeconds(6));
    writer.put(B.at(11));
    time.advance(Duration.ofSeconds(20));
    writer.put(B.at(12));
    writer.prove(); // of the later state
    sink.credit(RecordingResponseSink.ALL);
    subscription.wake();
    thread.runAll();

    ListAndWatchResponse synced =
        sink.sent.stream().filter(ListAndWatchResponse::hasSynced).findFirst().orElseThrow();
    assertThat(synced.getResourceVersion()).isEqualTo("10");
    assertThat(synced.getSynced().getStaleness().getSeconds()).isEqualTo(26);
  }

  @Test
  void staleStream_endsAfterMaxStaleness() {
    writer.list(10, A);
    maxStaleness = Duration.ofMinutes(3);
    RecordingResponseSink sink = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, sink);

    time.advance(Duration.ofMinutes(2));
    writer.prove();
    thread.runAll();
    time.advance(Duration.ofMinutes(3));
    thread.runAll();
    assertThat(sink.refusal()).as("after three minutes").isNull();

    time.advance(TimerWheel.TICK.multipliedBy(2));
    thread.runAll();
    assertThat(sink.refusal())
        .extracting(ApiError::reason)
        .isEqualTo(ErrorReason.ERROR_REASON_TOO_STALE);
    assertThat(time.waitingTasks()).as("timers").isZero();
  }

  /** Answers proofs of freshness with these stages, one after the other. */
  private List<CompletableFuture<Freshness>> proofs() {
    List<CompletableFuture<Freshness>> asked = new ArrayList<>();
    writer
        .cache()
        .setFreshnessLookup(
            () -> {
              asked.add(new CompletableFuture<>());
              return asked.getLast();
            });
    return asked;
  }

  private static Freshness provenAt(String version) {
    return new Freshness.Proven(new ResourceVersion(version));
  }

  private static boolean isSynced(RecordingResponseSink sink) {
    return sink.sent.stream().anyMatch(ListAndWatchResponse::hasSynced);
  }

  /** Subscribes with {@code max_staleness} 0 to a state that is a minute old. */
  private RecordingResponseSink subscribeAsOfNow() {
    writer.list(10, A);
    time.advance(Duration.ofMinutes(1));
    maxStaleness = Duration.ZERO;
    RecordingResponseSink sink = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, sink);
    return sink;
  }

  @Test
  void zeroStaleness_snapshotWaitsForProof() {
    List<CompletableFuture<Freshness>> proofs = proofs();
    RecordingResponseSink sink = subscribeAsOfNow();
    assertThat(isSynced(sink)).isFalse();

    time.advance(Duration.ofMillis(20));
    writer.proveEqual(15);
    proofs.forEach(proof -> proof.complete(provenAt("15")));
    thread.runAll();

    ListAndWatchResponse synced = sink.sent.getLast();
    assertThat(synced.getResourceVersion()).as("the proven version").isEqualTo("15");
    assertThat(synced.getSynced().getStaleness()).isEqualTo(ProtoTime.of(Duration.ZERO));
  }

  /** The event is older than the proof: the state with it is not the one that was proven. */
  @Test
  void zeroStaleness_eventAfterProof_needsAnotherProof() {
    List<CompletableFuture<Freshness>> proofs = proofs();
    RecordingResponseSink sink = subscribeAsOfNow();
    int first = proofs.size();
    writer.proveEqual(15);
    writer.put(B.at(12));
    List.copyOf(proofs).forEach(proof -> proof.complete(provenAt("15")));
    thread.runAll();

    assertThat(isSynced(sink)).isFalse();
    assertThat(proofs.size()).isGreaterThan(first);
    writer.delete(B, 13);
    writer.proveEqual(16);
    List.copyOf(proofs).forEach(proof -> proof.complete(provenAt("16")));
    thread.runAll();
    assertThat(isSynced(sink)).isTrue();
  }

  /** The timer of an answered proof must not end the next one. */
  @Test
  void zeroStaleness_secondProof_hasItsOwnTime() {
    stalenessScope = StreamOptions.StalenessScope.START;
    List<CompletableFuture<Freshness>> proofs = proofs();
    RecordingResponseSink sink = subscribeAsOfNow();
    time.advance(FanoutSettings.PROOF_TIMEOUT.minusSeconds(1));
    writer.proveEqual(15);
    writer.put(B.at(12));
    List.copyOf(proofs).forEach(proof -> proof.complete(provenAt("15")));
    thread.runAll();
    time.advance(Duration.ofSeconds(2));
    thread.runAll();
    assertThat(sink.refusal()).isNull();

    writer.delete(B, 13);
    writer.proveEqual(16);
    List.copyOf(proofs).forEach(proof -> proof.complete(provenAt("16")));
    thread.runAll();
    assertThat(isSynced(sink)).isTrue();
  }

  @Test
  void zeroStaleness_unproven_endsAsTooStale() {
    List<CompletableFuture<Freshness>> proofs = proofs();
    RecordingResponseSink sink = subscribeAsOfNow();

    proofs.forEach(proof -> proof.complete(new Freshness.Unproven("away")));
    thread.runAll();

    assertThat(sink.refusal())
        .extracting(ApiError::reason)
        .isEqualTo(ErrorReason.ERROR_REASON_TOO_STALE);
    assertThat(String.valueOf(sink.refusal())).contains("away");
    assertThat(isSynced(sink)).isFalse();
  }

  @Test
  void zeroStaleness_noAnswer_endsAsTooStale() {
    proofs();
    RecordingResponseSink sink = subscribeAsOfNow();

    time.advance(FanoutSettings.PROOF_TIMEOUT.plusMillis(200));
    thread.runAll();

    assertThat(sink.refusal())
        .extracting(ApiError::reason)
        .isEqualTo(ErrorReason.ERROR_REASON_TOO_STALE);
    assertThat(String.valueOf(sink.refusal())).contains(Freshness.Unproven.NO_ANSWER.reason());
  }

  @Test
  void streamNearItsLimit_isProvenAndGoesOn() {
    writer.list(10, A);
    List<CompletableFuture<Freshness>> proofs = proofs();
    maxStaleness = Duration.ofSeconds(20);
    RecordingResponseSink sink = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, sink);
    assertThat(proofs).isEmpty();

    for (int round = 1; round <= 5; round++) {
      time.advance(Duration.ofMillis(16_300));
      thread.runAll();
      assertThat(proofs).as("proofs asked for").hasSize(round);
      writer.proveEqual(10 + round);
      proofs.getLast().complete(provenAt("11"));
      thread.runAll();
      time.advance(Duration.ofSeconds(1));
      thread.runAll();
    }

    assertThat(sink.refusal()).isNull();
  }

  @Test
  void largeRelist_endsDisconnectStreamsWithChangesLost() {
    smallBounds();
    writer.list(100, large(50));
    RecordingResponseSink disconnect = new RecordingResponseSink(RecordingResponseSink.ALL);
    RecordingResponseSink resync = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_DISCONNECT, disconnect);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, resync);

    writer.list(200, large(150));
    thread.runAll();

    assertThat(disconnect.refusal())
        .extracting(ApiError::reason)
        .isEqualTo(ErrorReason.ERROR_REASON_CHANGES_LOST);
    assertThat(resync.sent.getLast().hasSynced()).isTrue();
    assertThat(resync.sent.getLast().getResourceVersion()).isEqualTo("200");
  }

  @Test
  void largeLostHistory_isReported() {
    smallBounds();
    writer.list(100, large(50));
    RecordingResponseSink sink = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, sink);

    writer.list(40, large(10));
    thread.runAll();

    assertThat(lastReason(sink)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
  }

  @Test
  void historyLostBeforeASnapshotStarts_isReported() {
    smallBounds();
    writer.list(100, large(50));
    RecordingResponseSink sink = new RecordingResponseSink(RecordingResponseSink.ALL);
    Subscription subscription = subscribe(LagPolicy.LAG_POLICY_RESYNC, sink);
    sink.credit(0);
    for (SampleObject object : large(101)) {
      writer.put(object); // enough to release the stream's state
    }
    thread.runAll();
    writer.list(40, large(10));
    thread.runAll();

    sink.credit(RecordingResponseSink.ALL);
    subscription.wake();
    thread.runAll();

    assertThat(lastReason(sink)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
    assertThat(sink.sent.getLast().getResourceVersion()).isEqualTo("40");
  }

  @Test
  void tokenAheadOfALostHistory_isReportedAfterTheTimeout() throws Exception {
    writer.list(100, A, B);
    RecordingResponseSink first = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, first);
    writer.list(40, A.at(3));
    RecordingResponseSink second = new RecordingResponseSink(RecordingResponseSink.ALL);
    StartPoint start =
        new StartPoint.Token(tokens(ALL).check(first.sent.getLast().getResumeToken()));
    open(LagPolicy.LAG_POLICY_RESYNC, ALL, start, second);
    thread.runAll();
    assertThat(second.sent).hasSize(1);

    time.advance(FanoutSettings.DEFAULTS.positionTimeout());
    thread.runAll();

    assertThat(lastReason(second)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
    assertThat(second.sent.getLast().hasSynced()).isTrue();
  }

  /** Its version is ahead, and the following changes have lower versions. */
  @Test
  void lostHistoryWithAnEqualState_isReported() throws Exception {
    writer.list(100, A, B);
    RecordingResponseSink first = new RecordingResponseSink(RecordingResponseSink.ALL);
    subscribe(LagPolicy.LAG_POLICY_RESYNC, first);
    StartPoint start =
        new StartPoint.Token(tokens(ALL).check(first.sent.getLast().getResumeToken()));
    writer.list(40, A, B);
    writer.list(30, A, B); // a second restore keeps the highest version of the first history
    RecordingResponseSink second = new RecordingResponseSink(RecordingResponseSink.ALL);
    open(LagPolicy.LAG_POLICY_RESYNC, ALL, start, second);
    time.advance(FanoutSettings.DEFAULTS.positionTimeout());
    thread.runAll();
    time.advance(FanoutSettings.DEFAULTS.positionTimeout());
    thread.runAll();

    assertThat(lastReason(second)).isEqualTo(SnapshotReason.SNAPSHOT_REASON_HISTORY_LOST);
    writer.put(A.at(41));
    thread.runAll();
    assertThat(names(second.sent.getLast())).containsExactly("a");
  }

  private static SnapshotReason lastReason(RecordingResponseSink sink) {
    return sink.sent.stream()
        .filter(ListAndWatchResponse::hasSnapshotStarted)
        .toList()
        .getLast()
        .getSnapshotStarted()
        .getReason();
  }

  /** Transport that accepts everything until it fails. */
  private static final class FailingSink implements ResponseSink {
    boolean failing;
    Throwable failure = new IllegalStateException("a failure on purpose");
    int failures;

    @Override
    public boolean isReady() {
      return true;
    }

    @Override
    public void send(ByteSlices response) {
      if (failing && failure instanceof RuntimeException e) {
        throw e;
      }
      if (failing && failure instanceof Error e) {
        throw e;
      }
    }

    @Override
    public void end(ApiError refusal) {
      throw new AssertionError("it was to fail");
    }

    @Override
    public void fail() {
      failures++;
    }
  }
}
