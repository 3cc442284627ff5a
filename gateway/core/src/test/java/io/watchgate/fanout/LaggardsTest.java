package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cache.CacheSettings;
import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.SampleObject;
import io.watchgate.error.ApiError;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.LagPolicy;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of streams behind history, and of the bytes queued for streams that do not read. */
final class LaggardsTest {
  private static final SampleObject OBJECT = SampleObject.of("n1", "a", 5);

  /** History of about 80 changes; the limit for pinned revisions suffices for all tests. */
  private static final CacheSettings SETTINGS =
      CacheWriter.settings().withHistory(Duration.ofHours(1), 160_000).withLaggardBytes(10 << 20);

  private CacheUnderTest underTest = new CacheUnderTest(SETTINGS);
  private long version = 10;

  private void addChanges(int changes) {
    for (int i = 0; i < changes; i++) {
      underTest.writer.put(OBJECT.at(++version));
    }
    underTest.run();
  }

  /** Returns streams of which each stops reading one change after the previous one. */
  private List<ControlledResponseSink> stopOneAfterTheOther(int count, LagPolicy policy) {
    underTest.writer.list(version, OBJECT);
    List<ControlledResponseSink> sinks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sinks.add(underTest.subscribe(StreamRequest.EVERYTHING.lagging(policy)));
    }
    for (ControlledResponseSink sink : sinks) {
      addChanges(1);
      sink.stalled();
    }
    addChanges(1);
    return sinks;
  }

  private void passTwoChecks() {
    underTest.pass(Duration.ofMillis(2_200));
  }

  private int pinnedRevisions() {
    return underTest.routers.measurements().getFirst().pinnedRevisions();
  }

  /** Returns the version to which the net effect led. */
  private static String afterNetEffect(ControlledResponseSink sink) {
    List<ListAndWatchResponse> responses = sink.responses();
    int at = 0;
    while (!responses.get(at).hasNetEffectStarted()) {
      at++;
    }
    while (responses.get(at).getResumeToken().isEmpty()) {
      at++;
    }
    return responses.get(at).getResourceVersion();
  }

  @Test
  void streamsBehindHistory_catchUpToTheSameRevision() {
    List<ControlledResponseSink> sinks = stopOneAfterTheOther(10, LagPolicy.LAG_POLICY_RESYNC);
    addChanges(200);
    passTwoChecks();
    for (ControlledResponseSink sink : sinks) {
      addChanges(1); // a different head for each stream
      sink.read();
      underTest.run();
    }
    Set<String> led = new HashSet<>();
    sinks.forEach(sink -> led.add(afterNetEffect(sink)));
    assertThat(led).as("a sixteenth of history lies between two").hasSizeLessThanOrEqualTo(3);
    addChanges(1);
    assertThat(sinks)
        .allSatisfy(
            sink -> assertThat(sink.lastResponse().getResourceVersion()).isEqualTo("" + version));
  }

  @Test
  void pinnedRevisions_areLimitedAndTheOldestIsDropped() {
    underTest = new CacheUnderTest(SETTINGS, new FanoutSettings.Limits(100, 1L << 40, 4, 1L << 40));
    List<ControlledResponseSink> sinks = stopOneAfterTheOther(10, LagPolicy.LAG_POLICY_RESYNC);
    passTwoChecks();
    assertThat(pinnedRevisions()).as("no revision is pinned yet").isZero();
    addChanges(200);
    passTwoChecks();
    assertThat(pinnedRevisions()).isLessThanOrEqualTo(4);
    assertThat(underTest.routers.measurements().getFirst().pinnedBytes()).isPositive();

    sinks.forEach(ControlledResponseSink::read);
    underTest.run();
    List<Boolean> hasNewSnapshot =
        sinks.stream()
            .map(
                sink ->
                    sink.responses().stream()
                            .filter(ListAndWatchResponse::hasSnapshotStarted)
                            .count()
                        > 1)
            .toList();
    assertThat(hasNewSnapshot)
        .as("a new snapshot for the oldest, the net effect for the youngest")
        .isEqualTo(List.of(true, true, true, true, true, true, false, false, false, false));
    assertThat(pinnedRevisions()).isZero();
    addChanges(1);
    assertThat(sinks)
        .allSatisfy(
            sink -> assertThat(sink.lastResponse().getResourceVersion()).isEqualTo("" + version));
  }

  @Test
  void disconnectPolicy_endsWhenThePinIsDropped() {
    underTest = new CacheUnderTest(SETTINGS, new FanoutSettings.Limits(100, 1L << 40, 4, 1L << 40));
    List<ControlledResponseSink> sinks = stopOneAfterTheOther(10, LagPolicy.LAG_POLICY_DISCONNECT);
    addChanges(200);
    passTwoChecks();
    passTwoChecks();
    assertThat(pinnedRevisions()).isLessThanOrEqualTo(4);
    assertThat(sinks.getFirst().refusal())
        .extracting(ApiError::reason)
        .isEqualTo(ErrorReason.ERROR_REASON_LAGGED);
    sinks.forEach(ControlledResponseSink::read);
    underTest.run();
    assertThat(sinks)
        .allSatisfy(
            sink ->
                assertThat(sink.refusal())
                    .extracting(ApiError::reason)
                    .isEqualTo(ErrorReason.ERROR_REASON_LAGGED));
  }

  private List<StreamState.Activity> activities() {
    List<StreamState.Activity> found = new ArrayList<>();
    var _ = underTest.loop.survey(state -> found.add(state.activity()));
    underTest.run();
    return found;
  }

  @Test
  void pinDroppedBeforeNetEffectBegins_getsSnapshot() {
    underTest = new CacheUnderTest(SETTINGS, new FanoutSettings.Limits(100, 100_000, 1, 1L << 40));
    underTest.writer.list(version, OBJECT);
    ControlledResponseSink slow = underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink later = underTest.subscribe(StreamRequest.EVERYTHING);
    List<ControlledResponseSink> silent = silent(4);
    slow.stalled();
    addChanges(200);
    addChanges(1); // trims history, which has less
    passTwoChecks(); // the second finds it stalled
    slow.ready = true;
    slow.subscription().wake();
    underTest.run();
    for (int i = 0; i < 20 && !activities().contains(StreamState.Activity.NET_EFFECT); i++) {
      underTest.pass(Duration.ofMillis(10));
    }
    // It waits for the next tick before it begins.
    later.stalled();
    addChanges(200);
    addChanges(1); // later pins a younger revision
    underTest.pass(TimerWheel.TICK.multipliedBy(2));

    assertThat(slow.refusal()).isNull();
    assertThat(slow.responses().stream().filter(ListAndWatchResponse::hasNetEffectStarted))
        .isEmpty();
    silent.forEach(ControlledResponseSink::read);
    later.read();
    underTest.pass(Duration.ofSeconds(1));
    assertThat(slow.responses().stream().filter(ListAndWatchResponse::hasSnapshotStarted))
        .as(
            "%s",
            slow.responses().stream()
                .map(
                    r ->
                        r.getSignalCase() + " " + r.getResourceVersion() + " " + r.getEventsCount())
                .toList())
        .hasSize(2);
    assertThat(slow.lastResponse().getResourceVersion()).isEqualTo("" + version);
  }

  /**
   * Sets a limit that about three streams exceed that do not read, and more than six exceed twice.
   */
  private void nextStageOfLittleRoom() {
    underTest = new CacheUnderTest(SETTINGS, new FanoutSettings.Limits(100, 100_000, 16, 1L << 40));
    underTest.writer.list(version, OBJECT);
  }

  private List<ControlledResponseSink> silent(int count) {
    List<ControlledResponseSink> silent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      silent.add(underTest.subscribe(StreamRequest.EVERYTHING).stalled());
    }
    return silent;
  }

  private static List<ControlledResponseSink> ended(List<ControlledResponseSink> sinks) {
    return sinks.stream().filter(sink -> sink.refusal() != null).toList();
  }

  @Test
  void underOutboundPressure_streamsThatReadAreNotThrottled() {
    nextStageOfLittleRoom();
    ControlledResponseSink keepsUp = underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink reads = underTest.subscribe(StreamRequest.EVERYTHING);
    List<ControlledResponseSink> silent = silent(4);
    addChanges(1);
    assertThat(underTest.routers.outboundBytes()).isGreaterThan(100_000);
    reads.stalled();
    addChanges(5);
    reads.read();
    underTest.run();
    ControlledResponseSink joins = underTest.subscribe(StreamRequest.labels("app!=x"));

    assertThat(keepsUp.lastResponse().getResourceVersion()).isEqualTo("" + version);
    assertThat(reads.lastResponse().getResourceVersion()).isEqualTo("" + version);
    assertThat(joins.responses()).anyMatch(ListAndWatchResponse::hasSynced);
    assertThat(ended(silent)).isEmpty();

    underTest.pass(Duration.ofSeconds(13));
    assertThat(ended(silent))
        .isNotEmpty()
        .allSatisfy(
            sink ->
                assertThat(sink.refusal())
                    .extracting(ApiError::reason)
                    .isEqualTo(ErrorReason.ERROR_REASON_LAGGED));
    assertThat(underTest.routers.outboundBytes()).isLessThanOrEqualTo(100_000);
    assertThat(keepsUp.refusal()).isNull();

    silent.stream().filter(sink -> sink.refusal() == null).forEach(ControlledResponseSink::read);
    underTest.run();
    assertThat(underTest.routers.outboundBytes()).as("nothing waits any more").isZero();
  }

  @Test
  void underOutboundPressure_slowStreamGetsOneResponsePerTick() {
    nextStageOfLittleRoom();
    ControlledResponseSink slow = underTest.subscribe(StreamRequest.EVERYTHING);
    List<ControlledResponseSink> silent = silent(4);
    slow.stalled();
    addChanges(90); // more than history has
    underTest.pass(Duration.ofSeconds(3));
    int before = slow.sent.size();
    slow.ready = true;
    slow.subscription().wake();
    underTest.run();
    assertThat(slow.sent).as("it has to wait for the tick").hasSize(before);

    underTest.pass(TimerWheel.TICK.multipliedBy(2));
    assertThat(slow.sent).hasSizeBetween(before + 1, before + 2);

    silent.forEach(ControlledResponseSink::read);
    underTest.pass(Duration.ofSeconds(1));
    assertThat(slow.lastResponse().getResourceVersion()).isEqualTo("" + version);
  }

  @Test
  void aboveTwiceTheLimit_stalledStreamIsClosedEarlier() {
    nextStageOfLittleRoom();
    List<ControlledResponseSink> silent = silent(8);
    addChanges(1);
    underTest.pass(Duration.ofSeconds(2));
    assertThat(ended(silent)).isEmpty();

    underTest.pass(Duration.ofSeconds(1));
    assertThat(ended(silent)).isNotEmpty();
    assertThat(underTest.routers.outboundBytes()).isBetween(100_000L, 200_000L);
  }

  @Test
  void stalledStreamOfAnActiveConnection_isKeptLonger() {
    nextStageOfLittleRoom();
    Object connection = new Object();
    ControlledResponseSink served = underTest.subscribe(StreamRequest.EVERYTHING).on(connection);
    List<ControlledResponseSink> waiting = silent(8);
    waiting.forEach(sink -> sink.on(connection));
    for (int second = 0; second < 10; second++) {
      addChanges(1);
      underTest.pass(Duration.ofSeconds(1));
    }
    assertThat(served.lastResponse().getResourceVersion()).isEqualTo("" + version);
    assertThat(ended(waiting)).isEmpty();

    addChanges(1);
    underTest.pass(Duration.ofSeconds(1));
    assertThat(ended(waiting)).isNotEmpty();
    assertThat(served.refusal()).isNull();
  }
}
