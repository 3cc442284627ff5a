package io.watchgate.balance;

/**
 * Whom a replica refuses for a round, so that they find the one that lacks streams.
 *
 * @param beyond so many streams, those who can go elsewhere are refused
 * @param most so many of them: what others lack was said a round ago, and a crowd that comes
 *     meanwhile would all go there
 */
public record RedirectQuota(int beyond, int most) {
  /** Nobody is refused. */
  public static final RedirectQuota NOWHERE = new RedirectQuota(Integer.MAX_VALUE, 0);
}
