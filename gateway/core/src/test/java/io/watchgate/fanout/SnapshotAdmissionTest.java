package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.SampleObject;
import io.watchgate.error.ApiException;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of the limit of concurrent snapshots, and of the order of their admission. */
final class SnapshotAdmissionTest {
  private static final int OBJECT_BYTES = 4_000;
  private static final int OBJECTS = 100;

  /** Limit for two snapshots of everything. */
  private final CacheUnderTest underTest =
      new CacheUnderTest(
          CacheWriter.settings(),
          new FanoutSettings.Limits(1_000, 1L << 40, 16, 3L * OBJECT_BYTES * OBJECTS));

  private void list() {
    list(OBJECTS);
  }

  private void list(int count) {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      objects.add(SampleObject.of("n1", "o" + i, 5).app("" + i).padding(OBJECT_BYTES));
    }
    underTest.writer.list(10, objects);
  }

  /** Returns a stream that has started its snapshot and then stopped reading. */
  private ControlledResponseSink stopped() {
    ControlledResponseSink sink =
        underTest.open(StreamRequest.EVERYTHING, new ControlledResponseSink());
    sink.onSend =
        () -> {
          if (hasBegun(sink)) {
            sink.ready = false;
          }
        };
    underTest.run();
    assertThat(isSynced(sink)).isFalse();
    return sink;
  }

  private static boolean hasBegun(ControlledResponseSink sink) {
    return sink.responses().stream().anyMatch(ListAndWatchResponse::hasSnapshotStarted);
  }

  private static boolean isSynced(ControlledResponseSink sink) {
    return sink.responses().stream().anyMatch(ListAndWatchResponse::hasSynced);
  }

  private void resume(ControlledResponseSink sink) {
    sink.onSend = () -> {};
    sink.read();
    underTest.run();
  }

  @Test
  void waitingSnapshot_sendsTheStateAtItsAdmission() {
    list();
    ControlledResponseSink first = stopped();
    ControlledResponseSink second = stopped();
    ControlledResponseSink third = underTest.subscribe(StreamRequest.EVERYTHING);
    assertThat(hasBegun(second)).isTrue();
    assertThat(hasBegun(third)).isFalse();
    assertThat(underTest.routers.waitingSnapshots()).isOne();
    underTest.writer.put(SampleObject.of("n1", "o1", 11));
    underTest.time.advance(SnapshotSettings.DEFAULTS.joinableFor().plusMillis(1));

    resume(first);
    assertThat(isSynced(first)).isTrue();
    assertThat(isSynced(third)).isTrue();
    assertThat(third.changes()).as("the change was in the snapshot").isEmpty();
    assertThat(underTest.routers.waitingSnapshots()).isZero();
    resume(second);
    assertThat(underTest.routers.snapshotBytes()).isZero();
  }

  @Test
  void stalledSnapshot_returnsItsTicketAndContinuesLater() {
    list();
    ControlledResponseSink first = stopped();
    ControlledResponseSink second = stopped();
    ControlledResponseSink third = underTest.subscribe(StreamRequest.EVERYTHING);
    assertThat(hasBegun(third)).isFalse();
    underTest.pass(Duration.ofSeconds(3));

    assertThat(isSynced(third)).isTrue();
    assertThat(underTest.routers.snapshotBytes()).isZero();
    resume(first);
    resume(second);
    assertThat(isSynced(first)).isTrue();
    assertThat(isSynced(second)).isTrue();
    assertThat(underTest.routers.snapshotBytes()).isZero();
  }

  @Test
  void slowSnapshot_delaysOthersForItsTicketTimeOnly() {
    list(3 * OBJECTS);
    ControlledResponseSink slow = stopped();
    ControlledResponseSink other = underTest.subscribe(StreamRequest.EVERYTHING);
    long seconds = SnapshotSettings.DEFAULTS.ticketTime().toSeconds();
    for (int i = 1; i < seconds; i++) {
      slow.read();
      underTest.pass(Duration.ofSeconds(1));
    }
    assertThat(hasBegun(other)).isFalse();
    slow.read();
    underTest.pass(Duration.ofSeconds(1));
    assertThat(isSynced(other)).isTrue();
    assertThat(isSynced(slow)).isFalse();

    resume(slow);
    assertThat(isSynced(slow)).isTrue();
    assertThat(underTest.routers.snapshotBytes()).isZero();
  }

  @Test
  void closedStream_returnsItsTicket() {
    list();
    ControlledResponseSink first = stopped();
    ControlledResponseSink second = stopped();
    ControlledResponseSink waits = underTest.subscribe(StreamRequest.EVERYTHING);
    ControlledResponseSink last = underTest.subscribe(StreamRequest.EVERYTHING);
    assertThat(underTest.routers.waitingSnapshots()).isEqualTo(2);
    waits.subscription().transportClosed(ClientEnd.CLIENT);
    underTest.run();
    assertThat(underTest.routers.waitingSnapshots()).isOne();
    assertThat(hasBegun(last)).isFalse();
    first.subscription().transportClosed(ClientEnd.CLIENT);
    underTest.run();
    assertThat(isSynced(last)).isTrue();
    second.subscription().transportClosed(ClientEnd.CLIENT);
    underTest.run();
    assertThat(underTest.routers.snapshotBytes()).isZero();
    assertThat(underTest.routers.waitingSnapshots()).isZero();
  }

  @Test
  void smallResult_isChargedByItsBytes() {
    list();
    ControlledResponseSink first = stopped();
    long ofOne = underTest.routers.snapshotBytes();
    ControlledResponseSink small =
        underTest.open(StreamRequest.labels("app=7"), new ControlledResponseSink());
    small.onSend = () -> small.ready = !hasBegun(small);
    underTest.run();
    assertThat(hasBegun(small)).isTrue();
    assertThat(underTest.routers.snapshotBytes() - ofOne)
        .isBetween((long) OBJECT_BYTES, OBJECT_BYTES + 1_000L);
    resume(small);
    resume(first);
    assertThat(underTest.routers.snapshotBytes()).isZero();
  }

  private static UserResources anyUser(SnapshotAdmission admission) {
    return new UserResources(UserResources.Scope.EVERYBODY, new OutboundBytes(100), admission);
  }

  private static UserResources oneUser(SnapshotAdmission admission) {
    return new UserResources(UserResources.Scope.ONE_USER, new OutboundBytes(100), admission);
  }

  @Test
  void snapshotAboveTheLimit_runsAlone() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources anyUser = anyUser(admission);
    SnapshotAdmission.Ticket large = admission.request(anyUser, 1_000, () -> {});
    assertThat(large.isAdmitted()).isTrue();
    boolean[] told = {false};
    SnapshotAdmission.Ticket small = admission.request(anyUser, 10, () -> told[0] = true);
    assertThat(small.isAdmitted()).isFalse();
    large.close();
    assertThat(small.isAdmitted()).isTrue();
    assertThat(told[0]).isTrue();
    assertThat(admission.bytes()).isEqualTo(10);
    large.close();
    assertThat(admission.bytes()).as("given back once").isEqualTo(10);
  }

  @Test
  void largeWaitingSnapshot_isNotOvertaken() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources anyUser = anyUser(admission);
    SnapshotAdmission.Ticket first = admission.request(anyUser, 60, () -> {});
    SnapshotAdmission.Ticket large = admission.request(anyUser, 90, () -> {});
    SnapshotAdmission.Ticket small = admission.request(anyUser, 10, () -> {});
    assertThat(small.isAdmitted()).isFalse();
    first.close();
    assertThat(large.isAdmitted()).isTrue();
    assertThat(small.isAdmitted()).isTrue();
  }

  @Test
  void snapshotThatIsSmallerThanEstimated_admitsTheNext() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources anyUser = anyUser(admission);
    AtomicInteger woken = new AtomicInteger();
    SnapshotAdmission.Ticket first = admission.request(anyUser, 90, () -> {});
    SnapshotAdmission.Ticket next = admission.request(anyUser, 50, woken::incrementAndGet);
    assertThat(next.isAdmitted()).isFalse();
    first.setBytes(10);
    assertThat(next.isAdmitted()).isTrue();
    assertThat(woken).hasValue(1);
    first.setBytes(80);
    assertThat(admission.bytes()).isEqualTo(130);
  }

  @Test
  void fullQueue_refusesFurtherSnapshots() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources anyUser = anyUser(admission);
    admission.request(anyUser, 100, () -> {});
    for (int i = 0; i < SnapshotSettings.DEFAULTS.maxWaiting(); i++) {
      admission.request(anyUser, 1, () -> {});
    }
    assertThatThrownBy(() -> admission.request(anyUser, 1, () -> {}))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.error().reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA);
              assertThat(e.error().retryAfter()).isPositive();
            })
        .hasMessageContaining("--snapshot-mib");
  }

  @Test
  void users_areServedRoundRobin() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources greedy = oneUser(admission);
    SnapshotAdmission.Ticket first = admission.request(greedy, 100, () -> {});
    List<SnapshotAdmission.Ticket> many = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      many.add(admission.request(greedy, 100, () -> {}));
    }
    SnapshotAdmission.Ticket other = admission.request(oneUser(admission), 100, () -> {});
    first.close();
    assertThat(many.get(0).isAdmitted()).isTrue();
    many.get(0).close();
    assertThat(other.isAdmitted()).as("after one of the ten, not after all").isTrue();
    other.close();
    assertThat(many.get(1).isAdmitted()).isTrue();
    many.forEach(SnapshotAdmission.Ticket::close);
    assertThat(admission.waitingCount()).isZero();
    assertThat(admission.bytes()).isZero();
  }

  @Test
  void oneUser_cannotFillTheQueue() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources greedy = oneUser(admission);
    admission.request(greedy, 100, () -> {});
    for (int i = 0; i < SnapshotSettings.DEFAULTS.maxWaitingPerUser(); i++) {
      admission.request(greedy, 1, () -> {});
    }
    assertThatThrownBy(() -> admission.request(greedy, 1, () -> {}))
        .isInstanceOf(ApiException.class);
    assertThat(admission.request(oneUser(admission), 1, () -> {}).isAdmitted()).isFalse();
  }
}
