package io.watchgate.balance;

/**
 * Limit of streams above which a replica redirects clients for one round, to lead them to replicas
 * that lack streams.
 *
 * @param threshold number of streams above which clients that know other replicas are refused
 * @param maxRefusals maximum number of refusals per round: the counts of others are a round old,
 *     and a crowd that connects meanwhile would all be redirected to the same replica
 */
public record RedirectQuota(int threshold, int maxRefusals) {
  /** Quota that redirects no client. */
  public static final RedirectQuota NONE = new RedirectQuota(Integer.MAX_VALUE, 0);
}
