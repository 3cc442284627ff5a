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

  private CacheUnderTest stage = new CacheUnderTest(SETTINGS);
  private long version = 10;

  private void addChanges(int changes) {
    for (int i = 0; i < changes; i++) {
      stage.writer.put(OBJECT.at(++version));
    }
    stage.run();
  }

  /** Returns streams of which each stops reading one change after the previous one. */
  private List<ControlledResponseSink> stopOneAfterTheOther(int count, LagPolicy policy) {
    stage.writer.list(version, OBJECT);
    List<ControlledResponseSink> outlets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      outlets.add(stage.subscribe(StreamRequest.EVERYTHING.lagging(policy)));
    }
    for (ControlledResponseSink outlet : outlets) {
      addChanges(1);
      outlet.stalled();
    }
    addChanges(1);
    return outlets;
  }

  private void passTwoChecks() {
    stage.pass(Duration.ofMillis(2_200));
  }

  private int roots() {
    return stage.routers.measurements().getFirst().pinnedRevisions();
  }

  /** Returns the version to which the net effect led. */
  private static String afterNetEffect(ControlledResponseSink outlet) {
    List<ListAndWatchResponse> responses = outlet.responses();
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
    List<ControlledResponseSink> outlets = stopOneAfterTheOther(10, LagPolicy.LAG_POLICY_RESYNC);
    addChanges(200);
    passTwoChecks();
    for (ControlledResponseSink outlet : outlets) {
      addChanges(1); // a different head for each stream
      outlet.read();
      stage.run();
    }
    Set<String> led = new HashSet<>();
    outlets.forEach(outlet -> led.add(afterNetEffect(outlet)));
    assertThat(led).as("a sixteenth of history lies between two").hasSizeLessThanOrEqualTo(3);
    addChanges(1);
    assertThat(outlets)
        .allSatisfy(
            outlet ->
                assertThat(outlet.lastResponse().getResourceVersion()).isEqualTo("" + version));
  }

  @Test
  void pinnedRevisions_areLimitedAndTheOldestIsDropped() {
    stage = new CacheUnderTest(SETTINGS, new FanoutSettings.Limits(100, 1L << 40, 4, 1L << 40));
    List<ControlledResponseSink> outlets = stopOneAfterTheOther(10, LagPolicy.LAG_POLICY_RESYNC);
    passTwoChecks();
    assertThat(roots()).as("all stand within history").isZero();
    addChanges(200);
    passTwoChecks();
    assertThat(roots()).isLessThanOrEqualTo(4);
    assertThat(stage.routers.measurements().getFirst().pinnedBytes()).isPositive();

    outlets.forEach(ControlledResponseSink::read);
    stage.run();
    List<Boolean> anew =
        outlets.stream()
            .map(
                outlet ->
                    outlet.responses().stream()
                            .filter(ListAndWatchResponse::hasSnapshotStarted)
                            .count()
                        > 1)
            .toList();
    assertThat(anew)
        .as("a new snapshot for the oldest, the net effect for the youngest")
        .isEqualTo(List.of(true, true, true, true, true, true, false, false, false, false));
    assertThat(roots()).isZero();
    addChanges(1);
    assertThat(outlets)
        .allSatisfy(
            outlet ->
                assertThat(outlet.lastResponse().getResourceVersion()).isEqualTo("" + version));
  }

  @Test
  void disconnectPolicy_endsWhenThePinIsDropped() {
    stage = new CacheUnderTest(SETTINGS, new FanoutSettings.Limits(100, 1L << 40, 4, 1L << 40));
    List<ControlledResponseSink> outlets =
        stopOneAfterTheOther(10, LagPolicy.LAG_POLICY_DISCONNECT);
    addChanges(200);
    passTwoChecks();
    passTwoChecks();
    assertThat(roots()).isLessThanOrEqualTo(4);
    assertThat(outlets.getFirst().refusal())
        .extracting(ApiError::reason)
        .isEqualTo(ErrorReason.ERROR_REASON_LAGGED);
    outlets.forEach(ControlledResponseSink::read);
    stage.run();
    assertThat(outlets)
        .allSatisfy(
            outlet ->
                assertThat(outlet.refusal())
                    .extracting(ApiError::reason)
                    .isEqualTo(ErrorReason.ERROR_REASON_LAGGED));
  }

  /**
   * Sets a limit that about three streams exceed that do not read, and more than six exceed twice.
   */
  private void nextStageOfLittleRoom() {
    stage = new CacheUnderTest(SETTINGS, new FanoutSettings.Limits(100, 100_000, 16, 1L << 40));
    stage.writer.list(version, OBJECT);
  }

  private List<ControlledResponseSink> silent(int count) {
    List<ControlledResponseSink> silent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      silent.add(stage.subscribe(StreamRequest.EVERYTHING).stalled());
    }
    return silent;
  }

  private static List<ControlledResponseSink> ended(List<ControlledResponseSink> outlets) {
    return outlets.stream().filter(outlet -> outlet.refusal() != null).toList();
  }

  @Test
  void underOutboundPressure_streamsThatReadAreNotThrottled() {
    nextStageOfLittleRoom();
    ControlledResponseSink keepsUp = stage.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink reads = stage.subscribe(StreamRequest.EVERYTHING);
    List<ControlledResponseSink> silent = silent(4);
    addChanges(1);
    assertThat(stage.routers.outboundBytes()).isGreaterThan(100_000);
    reads.stalled();
    addChanges(5);
    reads.read();
    stage.run();
    ControlledResponseSink joins = stage.subscribe(StreamRequest.labels("app!=x"));

    assertThat(keepsUp.lastResponse().getResourceVersion()).isEqualTo("" + version);
    assertThat(reads.lastResponse().getResourceVersion()).isEqualTo("" + version);
    assertThat(joins.responses()).anyMatch(ListAndWatchResponse::hasSynced);
    assertThat(ended(silent)).isEmpty();

    stage.pass(Duration.ofSeconds(13));
    assertThat(ended(silent))
        .isNotEmpty()
        .allSatisfy(
            outlet ->
                assertThat(outlet.refusal())
                    .extracting(ApiError::reason)
                    .isEqualTo(ErrorReason.ERROR_REASON_LAGGED));
    assertThat(stage.routers.outboundBytes()).isLessThanOrEqualTo(100_000);
    assertThat(keepsUp.refusal()).isNull();

    silent.stream()
        .filter(outlet -> outlet.refusal() == null)
        .forEach(ControlledResponseSink::read);
    stage.run();
    assertThat(stage.routers.outboundBytes()).as("nothing waits any more").isZero();
  }

  @Test
  void underOutboundPressure_slowStreamGetsOneResponsePerTick() {
    nextStageOfLittleRoom();
    ControlledResponseSink slow = stage.subscribe(StreamRequest.EVERYTHING);
    List<ControlledResponseSink> silent = silent(4);
    slow.stalled();
    addChanges(90); // more than history has
    stage.pass(Duration.ofSeconds(3));
    int before = slow.sent.size();
    slow.ready = true;
    slow.subscription().wake();
    stage.run();
    assertThat(slow.sent).as("it has to wait for the tick").hasSize(before);

    stage.pass(TimerWheel.TICK.multipliedBy(2));
    assertThat(slow.sent).hasSizeBetween(before + 1, before + 2);

    silent.forEach(ControlledResponseSink::read);
    stage.pass(Duration.ofSeconds(1));
    assertThat(slow.lastResponse().getResourceVersion()).isEqualTo("" + version);
  }

  @Test
  void aboveTwiceTheLimit_stalledStreamIsClosedEarlier() {
    nextStageOfLittleRoom();
    List<ControlledResponseSink> silent = silent(8);
    addChanges(1);
    stage.pass(Duration.ofSeconds(2));
    assertThat(ended(silent)).isEmpty();

    stage.pass(Duration.ofSeconds(1));
    assertThat(ended(silent)).isNotEmpty();
    assertThat(stage.routers.outboundBytes()).isBetween(100_000L, 200_000L);
  }

  @Test
  void stalledStreamOfAnActiveConnection_isKeptLonger() {
    nextStageOfLittleRoom();
    Object connection = new Object();
    ControlledResponseSink served = stage.subscribe(StreamRequest.EVERYTHING).on(connection);
    List<ControlledResponseSink> waiting = silent(8);
    waiting.forEach(outlet -> outlet.on(connection));
    for (int second = 0; second < 10; second++) {
      addChanges(1);
      stage.pass(Duration.ofSeconds(1));
    }
    assertThat(served.lastResponse().getResourceVersion()).isEqualTo("" + version);
    assertThat(ended(waiting)).isEmpty();

    addChanges(1);
    stage.pass(Duration.ofSeconds(1));
    assertThat(ended(waiting)).isNotEmpty();
    assertThat(served.refusal()).isNull();
  }
}
