package io.watchgate.balance;

import java.util.Collection;
import java.util.Collections;

/**
 * Decision of one replica, by its streams and those of the others. A deviation from the mean of up
 * to {@link BalanceSettings#TOLERANCE} is tolerated. {@code StreamShedder} of package {@code grpc}
 * chooses the streams to move.
 *
 * @param surplus number of streams to send to other replicas
 * @param redirect clients to redirect to other replicas
 */
record BalanceDecision(int surplus, RedirectQuota redirect) {

  /** Decision to do nothing: the streams are even, or nothing is known of others. */
  static final BalanceDecision KEEP_ALL = new BalanceDecision(0, RedirectQuota.NONE);

  /**
   * Returns the decision. If this replica is clearly above the mean, or another one clearly below
   * it, this replica sheds what it has above the mean. A new replica among many is far below the
   * mean although no other replica is far above it.
   */
  static BalanceDecision of(int own, Collection<Integer> others) {
    if (others.isEmpty()) {
      return KEEP_ALL;
    }
    long sum = own + others.stream().mapToLong(Integer::longValue).sum();
    double mean = (double) sum / (others.size() + 1);
    double tolerated = Math.max(BalanceSettings.TOLERANCE * mean, BalanceSettings.MIN_TOLERANCE);
    boolean isAnotherBelow = mean - Collections.min(others) > tolerated;
    boolean isAbove = own - mean > tolerated;
    return new BalanceDecision(
        isAnotherBelow || isAbove ? (int) Math.max(0, own - mean) : 0,
        isAnotherBelow
            ? new RedirectQuota((int) Math.ceil(mean), deficit(mean, others))
            : RedirectQuota.NONE);
  }

  private static int deficit(double mean, Collection<Integer> others) {
    return (int) others.stream().mapToDouble(count -> Math.max(0, mean - count)).sum();
  }
}
