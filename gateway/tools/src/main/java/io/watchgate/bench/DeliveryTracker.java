package io.watchgate.bench;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * Record of the deliveries to one reader, checked object by object. The n-th write changes object
 * {@code n % objects} for the {@code n / objects}-th time; this quotient is the object's round. So
 * a reader must receive consecutive rounds of each matching object, beginning with the round of its
 * snapshot. Not thread-safe.
 */
final class DeliveryTracker {
  private static final int UNKNOWN = -1;

  private final ExpectedMatches expectedMatches;
  private final int[] lastRounds;
  private boolean snapshotNeeded = true;
  private int snapshotObjects;
  private long missing;
  private long repeated;
  private long unexpected;
  private long incomplete;
  private long replaced;

  /** Creates the tracker of a reader that has received nothing yet. */
  DeliveryTracker(ExpectedMatches expectedMatches) {
    this.expectedMatches = expectedMatches;
    this.lastRounds = new int[expectedMatches.count()];
    Arrays.fill(lastRounds, UNKNOWN);
  }

  /**
   * Declares that the reader begins before the first write. It needs no snapshot, but may receive
   * one.
   */
  void beginBeforeAllWrites() {
    snapshotNeeded = false;
    Arrays.fill(lastRounds, 0);
  }

  void startSnapshot() {
    snapshotObjects = 0;
  }

  /** Records an object of a snapshot. */
  void recordSnapshotObject(long number) {
    int object = object(number);
    if (!expectedMatches.matches(object)) {
      unexpected++;
      return;
    }
    snapshotObjects++;
    int round = round(number);
    int index = expectedMatches.index(object);
    int last = lastRounds[index];
    if (last != UNKNOWN && round > last) {
      replaced += round - last;
    } else if (round < last) {
      repeated++;
    }
    lastRounds[index] = Math.max(last, round);
  }

  /**
   * Records the end of a snapshot.
   *
   * @param objects number of objects that the server announced; 0 for a server that sends no
   *     snapshots
   */
  void endSnapshot(long objects) {
    if (snapshotObjects != objects
        || (snapshotObjects != lastRounds.length && (snapshotObjects > 0 || snapshotNeeded))) {
      incomplete++;
    }
  }

  /** Records a change. */
  void recordChange(long number) {
    int object = object(number);
    if (!expectedMatches.matches(object)) {
      unexpected++;
      return;
    }
    int round = round(number);
    int index = expectedMatches.index(object);
    int last = lastRounds[index];
    if (round == last + 1 || last == UNKNOWN) {
      lastRounds[index] = round;
    } else if (round > last) {
      missing += round - last - 1;
      lastRounds[index] = round;
    } else {
      repeated++;
    }
  }

  /** Records an event of a net effect, which replaces several changes. */
  void recordNetEffect(long number) {
    int object = object(number);
    int index = expectedMatches.matches(object) ? expectedMatches.index(object) : 0;
    if (expectedMatches.matches(object)
        && lastRounds[index] != UNKNOWN
        && round(number) > lastRounds[index]) {
      replaced += round(number) - lastRounds[index] - 1;
      lastRounds[index] = round(number);
    } else {
      recordChange(number);
    }
  }

  /** Records an event that must not occur. */
  void recordUnexpected() {
    unexpected++;
  }

  /** Returns whether all written changes were received. */
  boolean isComplete(IntUnaryOperator lastRound) {
    for (int i = 0; i < lastRounds.length; i++) {
      int last = lastRound.applyAsInt(expectedMatches.object(i));
      if (lastRounds[i] < last && (last > 0 || lastRounds[i] != UNKNOWN)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns all losses, once no more deliveries are expected.
   *
   * @param lastRound round of each object's last write
   */
  LossReport losses(IntUnaryOperator lastRound) {
    long outstanding = 0;
    for (int i = 0; i < lastRounds.length; i++) {
      outstanding +=
          Math.max(0, lastRound.applyAsInt(expectedMatches.object(i)) - Math.max(0, lastRounds[i]));
    }
    return new LossReport(missing + outstanding, repeated, unexpected, incomplete, replaced, 0);
  }

  private int object(long number) {
    return (int) (number % expectedMatches.objects());
  }

  private int round(long number) {
    return (int) (number / expectedMatches.objects());
  }
}
