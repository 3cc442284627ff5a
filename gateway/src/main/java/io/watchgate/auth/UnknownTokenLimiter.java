package io.watchgate.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.watchgate.cache.TimeSource;
import java.time.Duration;

/**
 * Keeps those who show tokens that nobody knows from having the apiserver asked without end: an
 * address may do so a few times, and then so often a second. It is counted before it is asked, so
 * that a thousand at once are too many; for a token that is somebody's that is taken back.
 * Thread-safe.
 */
final class UnknownTokenLimiter {
  static final int AT_ONCE = 100;
  private static final double PER_SECOND = 10;
  private static final int MOST_ADDRESSES = 10_000;

  private final TimeSource time;
  private final Cache<Object, TokenBucket> buckets;

  UnknownTokenLimiter(TimeSource time) {
    this.time = time;
    this.buckets =
        Caffeine.newBuilder()
            .maximumSize(MOST_ADDRESSES)
            .ticker(time::nanoTime)
            .expireAfterAccess(Duration.ofMinutes(1))
            .build();
  }

  /** A token that was shown there. */
  Attempt attempt(Object address) {
    return new Attempt(address);
  }

  /** One token. Thread-safe. */
  final class Attempt {
    private final Object address;
    private volatile boolean counted;
    private volatile boolean refused;

    private Attempt(Object address) {
      this.address = address;
    }

    /** The apiserver would have to be asked: whether it may be. Then that is counted. */
    boolean isAllowed() {
      TokenBucket bucket = bucket();
      long now = time.nanoTime();
      synchronized (bucket) {
        counted = bucket.take(now);
      }
      refused = !counted;
      return counted;
    }

    boolean wasRefused() {
      return refused;
    }

    /** It was somebody's, or nobody could be asked: then it does not count. */
    void isNone() {
      if (counted) {
        counted = false;
        TokenBucket bucket = bucket();
        synchronized (bucket) {
          bucket.giveBack();
        }
      }
    }

    private TokenBucket bucket() {
      long now = time.nanoTime();
      return buckets.get(address, it -> new TokenBucket(AT_ONCE, PER_SECOND, now));
    }
  }
}
