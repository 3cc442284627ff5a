package io.watchgate.bench;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * What one reader has got, object by object. The n-th write changes object {@code n % objects} for
 * the {@code n / objects}-th time, its round; so a reader has to see the rounds of each object that
 * it matches one after the other, from that of its snapshot on. Not thread-safe.
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

  /** For a reader that knows nothing yet. */
  DeliveryTracker(ExpectedMatches matching) {
    this.matching = matching;
    this.rounds = new int[matching.count()];
    Arrays.fill(rounds, UNKNOWN);
  }

  /** The reader begins before the first write: it needs no snapshot, but may be sent one. */
  void beginsBeforeAllWrites() {
    snapshotNeeded = false;
    Arrays.fill(rounds, 0);
  }

  void snapshotStarted() {
    held = 0;
  }

  /** An object of a snapshot. */
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
   * The snapshot is complete.
   *
   * @param objects how many the server says it holds; 0 of a server that sends no snapshots
   */
  void synced(long objects) {
    if (held != objects || (held != rounds.length && (held > 0 || snapshotNeeded))) {
      incomplete++;
    }
  }

  /** A change. */
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

  /** A change that stands for several. */
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

  /** An event that cannot be. */
  void unexpected() {
    unexpected++;
  }

  /** Whether all has come that was written. */
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
   * Everything that went wrong, now that nothing more is to come.
   *
   * @param lastRound of each object, as it was written
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
