package io.watchgate.auth;

import io.watchgate.cache.TimeSource;
import io.watchgate.error.AccessErrors;
import io.watchgate.error.ApiException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Errors for reviews that the apiserver did not answer. The caller gets the remedy for an operator,
 * if one is known. The log gets the reason, at most every 10 s, and the same reason at most every
 * 10 min; it may name addresses and accounts, which callers must not see. Thread-safe.
 */
final class ReviewErrors {
  private static final Logger log = LoggerFactory.getLogger(ReviewErrors.class);
  private static final long LOG_INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long SAME_REASON_LOG_INTERVAL_NANOS = Duration.ofMinutes(10).toNanos();

  private final TimeSource time;
  private final AtomicReference<@Nullable LoggedReason> last = new AtomicReference<>();

  private record LoggedReason(String reason, long at) {}

  ReviewErrors(TimeSource time) {
    this.time = time;
  }

  /**
   * Returns the error, and logs the reason.
   *
   * @param subject subject of the review
   */
  ApiException refusal(String subject, ReviewUnavailableException cause) {
    String reason = String.valueOf(cause.getMessage());
    if (shouldLog(reason)) {
      log.warn("the apiserver could not be asked {}: {}", subject, reason);
    }
    return new ApiException(AccessErrors.reviewUnavailable(subject, cause.remedy()));
  }

  private boolean shouldLog(String reason) {
    LoggedReason before = last.get();
    long now = time.nanoTime();
    long apart =
        before != null && before.reason.equals(reason)
            ? SAME_REASON_LOG_INTERVAL_NANOS
            : LOG_INTERVAL_NANOS;
    return (before == null || now - before.at >= apart)
        && last.compareAndSet(before, new LoggedReason(reason, now));
  }
}
