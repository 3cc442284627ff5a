package io.watchgate.auth;

import java.time.Duration;

/**
 * Limits of the caches of the apiserver's answers about tokens and about access; see {@link
 * ReviewCache}.
 */
final class ReviewCacheSettings {
  /** Longest time for which a revoked right may still let a caller open a stream. */
  static final Duration ALLOWED_TTL = Duration.ofMinutes(1);

  /** Lifetime of a denial: short, since an administrator may grant the right soon. */
  static final Duration DENIED_TTL = Duration.ofSeconds(10);

  /** Longest time for which a revoked token is accepted after its last review. */
  static final Duration VALID_TOKEN_TTL = Duration.ofMinutes(2);

  /**
   * Lifetime of a negative answer: short, since a new token may become valid soon; a repeated bad
   * token costs one review per lifetime.
   */
  static final Duration INVALID_TOKEN_TTL = Duration.ofSeconds(10);

  /**
   * Maximum weight of each cache: thousands of callers with a token and some decisions each, at
   * about 1 KiB per entry.
   */
  static final int MAX_WEIGHT = 20_000;

  private ReviewCacheSettings() {}
}
