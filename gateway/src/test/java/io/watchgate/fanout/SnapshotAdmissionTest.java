package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.watchgate.cache.CacheWriter;
import io.watchgate.cache.SampleObject;
import io.watchgate.proto.v1.ErrorReason;
import io.watchgate.proto.v1.ListAndWatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the limit of concurrent snapshots, and of the order of their admission. */
final class SnapshotAdmissionTest {
  private static final int OBJECT_BYTES = 4_000;
  private static final int OBJECTS = 100;

  /** Limit for two snapshots of everything. */
  private final Stage stage =
      new Stage(
          CacheWriter.settings(),
          new FanoutSettings.Limits(1_000, 1L << 40, 16, 3L * OBJECT_BYTES * OBJECTS));

  private void list() {
    List<SampleObject> objects = new ArrayList<>();
    for (int i = 0; i < OBJECTS; i++) {
      objects.add(SampleObject.of("n1", "o" + i, 5).app("" + i).padding(OBJECT_BYTES));
    }
    stage.writer.list(10, objects);
  }

  /** Returns a stream that has started its snapshot and then stopped reading. */
  private KeptOutlet stopped() {
    KeptOutlet outlet = stage.open(Asking.EVERYTHING, new KeptOutlet());
    outlet.onSend =
        () -> {
          if (hasBegun(outlet)) {
            outlet.ready = false;
          }
        };
    stage.run();
    assertThat(isSynced(outlet)).isFalse();
    return outlet;
  }

  private static boolean hasBegun(KeptOutlet outlet) {
    return outlet.responses().stream().anyMatch(ListAndWatchResponse::hasSnapshotStarted);
  }

  private static boolean isSynced(KeptOutlet outlet) {
    return outlet.responses().stream().anyMatch(ListAndWatchResponse::hasSynced);
  }

  private void reads(KeptOutlet outlet) {
    outlet.onSend = () -> {};
    outlet.read();
    stage.run();
  }

  @Test
  void whoComesWhereThereIsNoRoomWaitsAndIsSentTheStateOfWhenItsTurnComes() {
    list();
    KeptOutlet first = stopped();
    KeptOutlet second = stopped();
    KeptOutlet third = stage.subscribe(Asking.EVERYTHING);
    assertThat(hasBegun(second)).isTrue();
    assertThat(hasBegun(third)).isFalse();
    assertThat(stage.routers.snapshotsWaiting()).isOne();
    stage.writer.put(SampleObject.of("n1", "o1", 11));
    stage.time.advance(ChunkReader.JOINABLE.plusMillis(1));

    reads(first);
    assertThat(isSynced(first)).isTrue();
    assertThat(isSynced(third)).isTrue();
    assertThat(third.changes()).as("the change was in the snapshot").isEmpty();
    assertThat(stage.routers.snapshotsWaiting()).isZero();
    reads(second);
    assertThat(stage.routers.snapshotBytes()).isZero();
  }

  @Test
  void whoDoesNotReadGivesItsPlaceBackAfterASecondAndGoesOnWhenItReads() {
    list();
    KeptOutlet first = stopped();
    KeptOutlet second = stopped();
    KeptOutlet third = stage.subscribe(Asking.EVERYTHING);
    assertThat(hasBegun(third)).isFalse();
    stage.pass(Duration.ofSeconds(3));

    assertThat(isSynced(third)).isTrue();
    assertThat(stage.routers.snapshotBytes()).isZero();
    reads(first);
    reads(second);
    assertThat(isSynced(first)).isTrue();
    assertThat(isSynced(second)).isTrue();
    assertThat(stage.routers.snapshotBytes()).isZero();
  }

  @Test
  void whoLeavesMakesRoomWhetherItWaitsOrHasBegun() {
    list();
    KeptOutlet first = stopped();
    KeptOutlet second = stopped();
    KeptOutlet waits = stage.subscribe(Asking.EVERYTHING);
    KeptOutlet last = stage.subscribe(Asking.EVERYTHING);
    assertThat(stage.routers.snapshotsWaiting()).isEqualTo(2);
    waits.subscription().left();
    stage.run();
    assertThat(stage.routers.snapshotsWaiting()).isOne();
    assertThat(hasBegun(last)).isFalse();
    first.subscription().left();
    stage.run();
    assertThat(isSynced(last)).isTrue();
    second.subscription().left();
    stage.run();
    assertThat(stage.routers.snapshotBytes()).isZero();
    assertThat(stage.routers.snapshotsWaiting()).isZero();
  }

  @Test
  void whatIsFoundToBeSmallIsChargedAsSuch() {
    list();
    KeptOutlet first = stopped();
    long ofOne = stage.routers.snapshotBytes();
    KeptOutlet small = stage.open(Asking.labels("app=7"), new KeptOutlet());
    small.onSend = () -> small.ready = !hasBegun(small);
    stage.run();
    assertThat(hasBegun(small)).isTrue();
    assertThat(stage.routers.snapshotBytes() - ofOne)
        .isBetween((long) OBJECT_BYTES, OBJECT_BYTES + 1_000L);
    reads(small);
    reads(first);
    assertThat(stage.routers.snapshotBytes()).isZero();
  }

  private static UserResources everybody(SnapshotAdmission admission) {
    return new UserResources(UserResources.Of.EVERYBODY, new OutboundBytes(100), admission);
  }

  private static UserResources oneUser(SnapshotAdmission admission) {
    return new UserResources(UserResources.Of.ONE_USER, new OutboundBytes(100), admission);
  }

  @Test
  void aSnapshotOfMoreThanThereIsRoomForIsAlone() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources everybody = everybody(admission);
    SnapshotAdmission.Ticket large = admission.ask(everybody, 1_000, () -> {});
    assertThat(large.isAdmitted()).isTrue();
    boolean[] told = {false};
    SnapshotAdmission.Ticket small = admission.ask(everybody, 10, () -> told[0] = true);
    assertThat(small.isAdmitted()).isFalse();
    large.close();
    assertThat(small.isAdmitted()).isTrue();
    assertThat(told[0]).isTrue();
    assertThat(admission.bytes()).isEqualTo(10);
    large.close();
    assertThat(admission.bytes()).as("given back once").isEqualTo(10);
  }

  @Test
  void nobodyOvertakesWhoWaitsForMoreRoom() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources everybody = everybody(admission);
    SnapshotAdmission.Ticket first = admission.ask(everybody, 60, () -> {});
    SnapshotAdmission.Ticket large = admission.ask(everybody, 90, () -> {});
    SnapshotAdmission.Ticket small = admission.ask(everybody, 10, () -> {});
    assertThat(small.isAdmitted()).isFalse();
    first.close();
    assertThat(large.isAdmitted()).isTrue();
    assertThat(small.isAdmitted()).isTrue();
  }

  @Test
  void whereTooManyWaitFurtherOnesAreToldSo() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources everybody = everybody(admission);
    admission.ask(everybody, 100, () -> {});
    for (int i = 0; i < SnapshotAdmission.MOST_WAITING; i++) {
      admission.ask(everybody, 1, () -> {});
    }
    assertThatThrownBy(() -> admission.ask(everybody, 1, () -> {}))
        .isInstanceOfSatisfying(
            ApiException.class,
            e -> {
              assertThat(e.refusal().reason()).isEqualTo(ErrorReason.ERROR_REASON_QUOTA);
              assertThat(e.refusal().retryAfter()).isPositive();
            })
        .hasMessageContaining("--snapshot-mib");
  }

  @Test
  void usersTakeTurnsHoweverManySnapshotsOneOfThemWaitsFor() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources greedy = oneUser(admission);
    SnapshotAdmission.Ticket first = admission.ask(greedy, 100, () -> {});
    List<SnapshotAdmission.Ticket> many = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      many.add(admission.ask(greedy, 100, () -> {}));
    }
    SnapshotAdmission.Ticket other = admission.ask(oneUser(admission), 100, () -> {});
    first.close();
    assertThat(many.get(0).isAdmitted()).isTrue();
    many.get(0).close();
    assertThat(other.isAdmitted()).as("after one of the ten, not after all").isTrue();
    other.close();
    assertThat(many.get(1).isAdmitted()).isTrue();
    many.forEach(SnapshotAdmission.Ticket::close);
    assertThat(admission.waiting()).isZero();
    assertThat(admission.bytes()).isZero();
  }

  @Test
  void oneUserCannotHaveAllWhoWait() throws ApiException {
    SnapshotAdmission admission = new SnapshotAdmission(100);
    UserResources greedy = oneUser(admission);
    admission.ask(greedy, 100, () -> {});
    for (int i = 0; i < SnapshotAdmission.MOST_OF_ONE; i++) {
      admission.ask(greedy, 1, () -> {});
    }
    assertThatThrownBy(() -> admission.ask(greedy, 1, () -> {})).isInstanceOf(ApiException.class);
    assertThat(admission.ask(oneUser(admission), 1, () -> {}).isAdmitted()).isFalse();
  }
}
