package io.watchgate.balance;

import java.util.Collection;
import java.util.Collections;

/**
 * What a replica's streams are beside those of the others.
 *
 * @param surplus how many are to go elsewhere
 * @param lead where others are led to
 */
record BalanceDecision(int surplus, RedirectQuota lead) {

  /** Of the mean: less is not worth that anybody moves. */
  private static final double TOLERATED = 0.1;

  /** Where there are few streams, a tenth is nothing. */
  private static final int FEWEST = 4;

  /** All is well, or nothing is known. */
  static final BalanceDecision ENOUGH = new BalanceDecision(0, RedirectQuota.NOWHERE);

  /**
   * Once one of them has clearly more than the mean, or clearly less, whatever is above the mean
   * goes: one that is new among many lacks much, of which none of the others has much too much.
   */
  static BalanceDecision of(int own, Collection<Integer> others) {
    if (others.isEmpty()) {
      return ENOUGH;
    }
    long sum = own + others.stream().mapToLong(Integer::longValue).sum();
    double mean = (double) sum / (others.size() + 1);
    double tolerated = Math.max(TOLERATED * mean, FEWEST);
    boolean oneLacks = mean - Collections.min(others) > tolerated;
    boolean tooMany = own - mean > tolerated;
    return new BalanceDecision(
        oneLacks || tooMany ? (int) Math.max(0, own - mean) : 0,
        oneLacks
            ? new RedirectQuota((int) Math.ceil(mean), lacking(mean, others))
            : RedirectQuota.NOWHERE);
  }

  private static int lacking(double mean, Collection<Integer> others) {
    return (int) others.stream().mapToDouble(count -> Math.max(0, mean - count)).sum();
  }
}
