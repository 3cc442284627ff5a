package io.watchgate.auth;

/**
 * Token bucket: a burst, and a rate per second ({@link UnknownTokenSettings}, {@link
 * AuthSettings.Quotas}). Not thread-safe.
 */
final class TokenBucket {
  private static final double SECOND = 1e9;

  private final double capacity;
  private final double perSecond;
  private double available;
  private long filledAt;

  /**
   * Creates a full bucket.
   *
   * @param now in {@code nanoTime}
   */
  TokenBucket(double capacity, double perSecond, long now) {
    this.capacity = capacity;
    this.perSecond = perSecond;
    this.available = capacity;
    this.filledAt = now;
  }

  /** Takes a token if there is one. */
  boolean tryTake(long now) {
    return tryTake(1, now);
  }

  /**
   * Takes {@code count} tokens, or none and returns false. At most the capacity less one is taken:
   * the caller has taken one token before, so a full bucket never has more.
   */
  boolean tryTake(int count, long now) {
    double wanted = count == 1 ? 1 : Math.min(count, capacity - 1);
    fill(now);
    if (available < wanted) {
      return false;
    }
    available -= wanted;
    return true;
  }

  void refund() {
    available = Math.min(capacity, available + 1);
  }

  boolean isEmpty(long now) {
    fill(now);
    return available < 1;
  }

  private void fill(long now) {
    available = Math.min(capacity, available + (now - filledAt) / SECOND * perSecond);
    filledAt = now;
  }

  boolean isFull(long now) {
    return !isEmpty(now) && available >= capacity;
  }
}
