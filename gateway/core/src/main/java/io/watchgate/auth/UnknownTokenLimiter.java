package io.watchgate.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.watchgate.cache.TimeSource;
import java.time.Duration;

/**
 * Rate limit, per address, of tokens that have to be sent to TokenReview: a burst of 100, then 10
 * per second. A token is counted before its review, so that a thousand concurrent tokens exceed the
 * limit. The count is taken back if the token is valid. Thread-safe.
 */
final class UnknownTokenLimiter {
  static final int BURST = 100;
  private static final double PER_SECOND = 10;
  private static final int MAX_ADDRESSES = 10_000;

  private final TimeSource time;
  private final Cache<Object, TokenBucket> buckets;

  UnknownTokenLimiter(TimeSource time) {
    this.time = time;
    this.buckets =
        Caffeine.newBuilder()
            .maximumSize(MAX_ADDRESSES)
            .ticker(time::nanoTime)
            .expireAfterAccess(Duration.ofMinutes(1))
            .build();
  }

  /** Returns the attempt of a token from that address; nothing is counted yet. */
  Attempt attempt(Object address) {
    return new Attempt(address);
  }

  /** Attempt with one token. Thread-safe. */
  final class Attempt {
    private final Object address;
    private volatile boolean counted;
    private volatile boolean refused;

    private Attempt(Object address) {
      this.address = address;
    }

    /** Returns whether the token may be sent to the apiserver, and counts it if so. */
    boolean tryCount() {
      TokenBucket bucket = bucket();
      long now = time.nanoTime();
      synchronized (bucket) {
        counted = bucket.tryTake(now);
      }
      refused = !counted;
      return counted;
    }

    boolean wasRefused() {
      return refused;
    }

    /** Takes the count back: the token was valid, or the apiserver could not be asked. */
    void refund() {
      if (counted) {
        counted = false;
        TokenBucket bucket = bucket();
        synchronized (bucket) {
          bucket.refund();
        }
      }
    }

    private TokenBucket bucket() {
      long now = time.nanoTime();
      return buckets.get(address, it -> new TokenBucket(BURST, PER_SECOND, now));
    }
  }
}
