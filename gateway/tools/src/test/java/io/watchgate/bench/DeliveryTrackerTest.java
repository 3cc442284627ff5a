package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Sequences with deliberate errors, which the tracker must find. */
class DeliveryTrackerTest {
  private static final int OBJECTS = 10;
  private static final int ROUNDS = 5;

  private static DeliveryTracker begun(ExpectedMatches matching) {
    DeliveryTracker tracker = new DeliveryTracker(matching);
    tracker.beginBeforeAllWrites();
    return tracker;
  }

  /** Returns the numbers of all changes, in order. */
  private static List<Long> all() {
    return new ArrayList<>(LongStream.range(OBJECTS, (ROUNDS + 1L) * OBJECTS).boxed().toList());
  }

  private static LossReport losses(DeliveryTracker tracker, List<Long> numbers) {
    numbers.forEach(tracker::recordChange);
    return tracker.losses(object -> ROUNDS);
  }

  private static LossReport losses(List<Long> numbers) {
    return losses(begun(ExpectedMatches.all(OBJECTS)), numbers);
  }

  private static LossReport only(long missing, long repeated) {
    return new LossReport(missing, repeated, 0, 0, 0, 0);
  }

  @Test
  void changes_onceAndInOrder_areNoLoss() {
    assertThat(losses(all())).isEqualTo(LossReport.NONE);
  }

  @Test
  void changes_ofDifferentObjectsInAnyOrder_areNoLoss() {
    List<Long> numbers = all();
    for (int round = 0; round < ROUNDS; round++) {
      Collections.reverse(numbers.subList(round * OBJECTS, (round + 1) * OBJECTS));
    }
    assertThat(losses(numbers)).isEqualTo(LossReport.NONE);
  }

  @Test
  void droppedChange_isMissing() {
    List<Long> numbers = all();
    numbers.remove(17);
    assertThat(losses(numbers)).isEqualTo(only(1, 0));
  }

  @Test
  void droppedLastChange_isMissing() {
    List<Long> numbers = all();
    numbers.removeLast();
    assertThat(losses(numbers)).isEqualTo(only(1, 0));
  }

  @Test
  void duplicateChange_isRepeated() {
    List<Long> numbers = all();
    numbers.add(20, numbers.get(19));
    assertThat(losses(numbers)).isEqualTo(only(0, 1));
  }

  @Test
  void swappedChangesOfAnObject_areFound() {
    List<Long> numbers = all();
    Collections.swap(numbers, 3, 3 + OBJECTS);
    assertThat(losses(numbers)).isEqualTo(only(1, 1));
  }

  @Test
  void anyDroppedOrRepeatedChange_isFound() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 200; i++) {
      List<Long> dropped = all();
      dropped.remove(random.nextInt(dropped.size()));
      assertThat(losses(dropped)).as("seed %d", seed).isEqualTo(only(1, 0));
      List<Long> repeated = all();
      int which = random.nextInt(repeated.size());
      repeated.add(which + random.nextInt(repeated.size() - which) + 1, repeated.get(which));
      assertThat(losses(repeated)).as("seed %d", seed).isEqualTo(only(0, 1));
    }
  }

  @Test
  void losses_withSelector_expectMatchingObjectsOnly() {
    ExpectedMatches third = new ExpectedMatches(OBJECTS, 1, 3);
    List<Long> numbers = all();
    numbers.removeIf(number -> !third.matches((int) (number % OBJECTS)));
    assertThat(losses(begun(third), numbers)).isEqualTo(LossReport.NONE);
    assertThat(losses(begun(third), List.of()).missing()).isEqualTo(3L * ROUNDS);
    assertThat(losses(begun(ExpectedMatches.none(OBJECTS)), List.of())).isEqualTo(LossReport.NONE);
  }

  @Test
  void changeThatDoesNotMatch_isUnexpected() {
    DeliveryTracker tracker = begun(new ExpectedMatches(OBJECTS, 1, 3));
    tracker.recordChange(OBJECTS + 2);
    tracker.recordSnapshotObject(2);
    assertThat(tracker.losses(object -> 0).unexpected()).isEqualTo(2);
  }

  @Test
  void changes_afterSnapshot_continueItsRounds() {
    DeliveryTracker tracker = new DeliveryTracker(ExpectedMatches.all(OBJECTS));
    tracker.startSnapshot();
    for (int object = 0; object < OBJECTS; object++) {
      tracker.recordSnapshotObject(3L * OBJECTS + object);
    }
    tracker.endSnapshot(OBJECTS);
    List<Long> rest = all();
    rest.removeIf(number -> number < 4L * OBJECTS);
    assertThat(losses(tracker, rest)).isEqualTo(LossReport.NONE);
  }

  @Test
  void snapshot_withoutAnObject_isIncomplete() {
    DeliveryTracker tracker = begun(ExpectedMatches.all(OBJECTS));
    tracker.startSnapshot();
    for (int object = 1; object < OBJECTS; object++) {
      tracker.recordSnapshotObject(object);
    }
    tracker.endSnapshot(OBJECTS - 1);
    assertThat(tracker.losses(object -> 0).incomplete()).isEqualTo(1);
  }

  @Test
  void snapshot_withOlderState_isRepeated() {
    DeliveryTracker tracker = begun(ExpectedMatches.all(OBJECTS));
    tracker.recordChange(OBJECTS);
    tracker.startSnapshot();
    tracker.recordSnapshotObject(0);
    assertThat(tracker.losses(object -> 0).repeated()).isEqualTo(1);
  }

  @Test
  void changes_inNetEffect_areReplacedNotMissing() {
    DeliveryTracker tracker = begun(new ExpectedMatches(OBJECTS, 0, OBJECTS));
    tracker.recordNetEffect(3L * OBJECTS);
    tracker.recordChange(4L * OBJECTS);
    tracker.recordChange(5L * OBJECTS);
    assertThat(tracker.losses(object -> ROUNDS)).isEqualTo(new LossReport(0, 0, 0, 0, 2, 0));
  }

  @Test
  void isComplete_afterLastChangeOfEachObject() {
    DeliveryTracker tracker = begun(ExpectedMatches.all(OBJECTS));
    List<Long> numbers = all();
    numbers.subList(0, numbers.size() - 1).forEach(tracker::recordChange);
    assertThat(tracker.isComplete(object -> ROUNDS)).isFalse();
    tracker.recordChange(numbers.getLast());
    assertThat(tracker.isComplete(object -> ROUNDS)).isTrue();
  }

  @Test
  void snapshot_isRequiredForLateReadersOnly() {
    DeliveryTracker late = new DeliveryTracker(ExpectedMatches.all(OBJECTS));
    late.startSnapshot();
    late.endSnapshot(0);
    assertThat(late.losses(object -> 0)).isEqualTo(new LossReport(0, 0, 0, 1, 0, 0));
    DeliveryTracker early = begun(ExpectedMatches.all(OBJECTS));
    early.startSnapshot();
    early.endSnapshot(0);
    assertThat(early.losses(object -> 0)).isEqualTo(LossReport.NONE);
  }
}
