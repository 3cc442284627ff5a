package io.watchgate.auth;

/** Token bucket: a burst, and a rate per second. Not thread-safe. */
final class TokenBucket {
  private static final double SECOND = 1e9;

  private final double most;
  private final double perSecond;
  private double left;
  private long at;

  /**
   * Creates a full bucket.
   *
   * @param now in {@code nanoTime}
   */
  TokenBucket(double most, double perSecond, long now) {
    this.most = most;
    this.perSecond = perSecond;
    this.left = most;
    this.at = now;
  }

  /** Takes a token if there is one. */
  boolean take(long now) {
    return take(1, now);
  }

  /**
   * Takes {@code count} tokens, or none and returns false. A count above the capacity takes the
   * full capacity.
   */
  boolean take(int count, long now) {
    double wanted = Math.min(count, most);
    fill(now);
    if (left < wanted) {
      return false;
    }
    left -= wanted;
    return true;
  }

  void giveBack() {
    left = Math.min(most, left + 1);
  }

  boolean isEmpty(long now) {
    fill(now);
    return left < 1;
  }

  private void fill(long now) {
    left = Math.min(most, left + (now - at) / SECOND * perSecond);
    at = now;
  }

  boolean isFull(long now) {
    return !isEmpty(now) && left >= most;
  }
}
