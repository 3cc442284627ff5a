package io.watchgate.auth;

import io.watchgate.cache.TimeSource;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Cached TokenReview of the apiserver ({@link ReviewCacheSettings}). Tokens are cached by a keyed
 * hash, with a key of this process: a heap dump of the cache contains no token, and two tokens with
 * the same hash cannot be made. Thread-safe.
 */
final class TokenReviewCache {
  private static final String HASH = "HmacSHA256";

  private final TokenReviewer reviewer;
  private final TokenReviewer rechecker;
  private final List<String> audiences;
  private final TimeSource time;
  private final AuthMetrics metrics;
  private final SecretKeySpec key;
  private final ReviewCache<String, Optional<Known>> cache;

  /** User of a valid token, and its expiry. */
  record Known(UserInfo identity, @Nullable Instant expiry) {}

  /**
   * Creates a cache.
   *
   * @param rechecker reviewer for tokens of open streams, which must not wait behind new calls
   * @param audiences audiences of which a token must have one; empty: the apiserver's own
   */
  TokenReviewCache(
      TokenReviewer reviewer,
      TokenReviewer rechecker,
      List<String> audiences,
      TimeSource time,
      Executor threads,
      AuthMetrics metrics) {
    this.reviewer = reviewer;
    this.rechecker = rechecker;
    this.audiences = List.copyOf(audiences);
    this.time = time;
    this.metrics = metrics;
    byte[] random = new byte[32];
    new SecureRandom().nextBytes(random);
    this.key = new SecretKeySpec(random, HASH);
    this.cache = new ReviewCache<>(time, threads, this::timeToLive, hash -> 1);
  }

  private Duration timeToLive(Optional<Known> answer) {
    Instant expiry = answer.map(Known::expiry).orElse(null);
    if (answer.isEmpty() || expiry == null) {
      return answer.isEmpty()
          ? ReviewCacheSettings.INVALID_TOKEN_TTL
          : ReviewCacheSettings.VALID_TOKEN_TTL;
    }
    Duration left = Duration.between(time.now(), expiry);
    if (left.isNegative()) {
      return Duration.ZERO;
    }
    return left.compareTo(ReviewCacheSettings.VALID_TOKEN_TTL) < 0
        ? left
        : ReviewCacheSettings.VALID_TOKEN_TTL;
  }

  /**
   * Returns the user of a token.
   *
   * @param mayAsk tested if the apiserver would have to be asked and no review of the token is in
   *     flight
   * @return empty: the token is invalid, by a review within the last 10 s
   */
  Optional<Known> authenticate(String token, BooleanSupplier mayAsk)
      throws ReviewUnavailableException, InterruptedException {
    return cache.get(
        hash(token),
        () -> {
          if (!mayAsk.getAsBoolean()) {
            throw new ReviewUnavailableException("too many unknown tokens");
          }
          return review(reviewer, token);
        });
  }

  /**
   * Returns the user of a token, by a review that began at that moment, in {@code nanoTime}, or
   * later.
   */
  Optional<Known> authenticateSince(long since, String token)
      throws ReviewUnavailableException, InterruptedException {
    return cache.getSince(since, hash(token), () -> review(rechecker, token));
  }

  /** Returns the number of cached tokens. */
  long cachedTokens() {
    return cache.cachedAnswers();
  }

  private Optional<Known> review(TokenReviewer asked, String token)
      throws ReviewUnavailableException, InterruptedException {
    Optional<UserInfo> identity;
    try {
      identity = asked.review(token, audiences);
    } catch (ReviewUnavailableException e) {
      metrics.tokenReviewed(AuthMetrics.Answer.NONE);
      throw e;
    }
    metrics.tokenReviewed(identity.isPresent() ? AuthMetrics.Answer.YES : AuthMetrics.Answer.NO);
    return identity.map(it -> new Known(it, JwtExpiry.of(token)));
  }

  private String hash(String token) {
    try {
      Mac mac = Mac.getInstance(HASH);
      mac.init(key);
      byte[] hash = mac.doFinal(token.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("every JDK has " + HASH, e);
    }
  }
}
