package io.watchgate.balance;

import java.util.Collection;

/** How many of a replica's streams are too many. */
final class Share {
  /** Of the mean: less is not worth that anybody moves, and within what is promised (20 %). */
  private static final double TOLERATED = 0.1;

  /** Where there are few streams, a tenth is nothing. */
  private static final int FEWEST = 4;

  private Share() {}

  /** What {@code own} has beyond the mean of all; 0 if it is not clearly more. */
  static int surplus(int own, Collection<Integer> others) {
    long sum = own + others.stream().mapToLong(Integer::longValue).sum();
    double mean = (double) sum / (others.size() + 1);
    double surplus = own - mean;
    return surplus > Math.max(TOLERATED * mean, FEWEST) ? (int) surplus : 0;
  }
}
