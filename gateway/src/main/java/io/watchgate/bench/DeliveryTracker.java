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

  private final ExpectedMatches matching;
  private final int[] rounds;
  private boolean snapshotNeeded = true;
  private int held;
  private long missing;
  private long repeated;
  private long unexpected;
  private long incomplete;
  private long replaced;

  /** Creates the tracker of a reader that has received nothing yet. */
  DeliveryTracker(ExpectedMatches matching) {
    this.matching = matching;
    this.rounds = new int[matching.count()];
    Arrays.fill(rounds, UNKNOWN);
  }

  /**
   * Declares that the reader begins before the first write. It needs no snapshot, but may receive
   * one.
   */
  void beginsBeforeAllWrites() {
    snapshotNeeded = false;
    Arrays.fill(rounds, 0);
  }

  void snapshotStarted() {
    held = 0;
  }

  /** Records an object of a snapshot. */
  void holds(long number) {
    int object = object(number);
    if (!matching.matches(object)) {
      unexpected++;
      return;
    }
    held++;
    int round = round(number);
    int index = matching.index(object);
    int last = rounds[index];
    if (last != UNKNOWN && round > last) {
      replaced += round - last;
    } else if (round < last) {
      repeated++;
    }
    rounds[index] = Math.max(last, round);
  }

  /**
   * Records the end of a snapshot.
   *
   * @param objects number of objects that the server announced; 0 for a server that sends no
   *     snapshots
   */
  void synced(long objects) {
    if (held != objects || (held != rounds.length && (held > 0 || snapshotNeeded))) {
      incomplete++;
    }
  }

  /** Records a change. */
  void changed(long number) {
    int object = object(number);
    if (!matching.matches(object)) {
      unexpected++;
      return;
    }
    int round = round(number);
    int index = matching.index(object);
    int last = rounds[index];
    if (round == last + 1 || last == UNKNOWN) {
      rounds[index] = round;
    } else if (round > last) {
      missing += round - last - 1;
      rounds[index] = round;
    } else {
      repeated++;
    }
  }

  /** Records an event of a net effect, which replaces several changes. */
  void jumped(long number) {
    int object = object(number);
    int index = matching.matches(object) ? matching.index(object) : 0;
    if (matching.matches(object) && rounds[index] != UNKNOWN && round(number) > rounds[index]) {
      replaced += round(number) - rounds[index] - 1;
      rounds[index] = round(number);
    } else {
      changed(number);
    }
  }

  /** Records an event that must not occur. */
  void unexpected() {
    unexpected++;
  }

  /** Returns whether all written changes were received. */
  boolean isComplete(IntUnaryOperator lastRound) {
    for (int i = 0; i < rounds.length; i++) {
      int last = lastRound.applyAsInt(matching.object(i));
      if (rounds[i] < last && (last > 0 || rounds[i] != UNKNOWN)) {
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
    for (int i = 0; i < rounds.length; i++) {
      outstanding += Math.max(0, lastRound.applyAsInt(matching.object(i)) - Math.max(0, rounds[i]));
    }
    return new LossReport(missing + outstanding, repeated, unexpected, incomplete, replaced, 0);
  }

  private int object(long number) {
    return (int) (number % matching.objects());
  }

  private int round(long number) {
    return (int) (number / matching.objects());
  }
}
