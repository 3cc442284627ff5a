package io.watchgate.balance;

/**
 * Limit of streams above which a replica redirects clients for one round, to lead them to replicas
 * that lack streams.
 *
 * @param beyond number of streams above which clients that know other replicas are refused
 * @param most maximum number of refusals per round: the counts of others are a round old, and a
 *     crowd that connects meanwhile would all be redirected to the same replica
 */
public record RedirectQuota(int beyond, int most) {
  /** Quota that redirects no client. */
  public static final RedirectQuota NOWHERE = new RedirectQuota(Integer.MAX_VALUE, 0);
}
