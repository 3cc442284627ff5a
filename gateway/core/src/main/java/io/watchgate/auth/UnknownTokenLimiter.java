package io.watchgate.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.watchgate.cache.TimeSource;

/**
 * Rate limit, per address, of tokens that have to be sent to TokenReview (see {@link
 * UnknownTokenSettings}). A bearer token is counted before its review: otherwise a thousand tokens
 * that are sent at the same time would all pass. The count is taken back if the bearer token is
 * valid. Thread-safe.
 */
final class UnknownTokenLimiter {
  private final TimeSource time;
  private final Cache<Object, TokenBucket> buckets;

  UnknownTokenLimiter(TimeSource time) {
    this.time = time;
    this.buckets =
        Caffeine.newBuilder()
            .maximumSize(UnknownTokenSettings.MAX_ADDRESSES)
            .ticker(time::nanoTime)
            .expireAfterAccess(UnknownTokenSettings.IDLE)
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
      return buckets.get(
          address,
          it -> new TokenBucket(UnknownTokenSettings.BURST, UnknownTokenSettings.PER_SECOND, now));
    }
  }
}
