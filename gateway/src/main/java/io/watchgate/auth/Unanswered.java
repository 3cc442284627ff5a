package io.watchgate.auth;

import io.watchgate.cache.TimeSource;
import io.watchgate.feed.Refusal;
import io.watchgate.feed.RefusedException;
import io.watchgate.proto.v1.ErrorReason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of a question to the apiserver that has no answer: the caller learns that, and the
 * log, at most every ten seconds, why. That may name addresses and accounts, which are nothing for
 * somebody whom nobody knows. Thread-safe.
 */
final class Unanswered {
  private static final Logger log = LoggerFactory.getLogger(Unanswered.class);
  private static final Duration RETRY = Duration.ofSeconds(2);
  private static final long APART = Duration.ofSeconds(10).toNanos();

  private final TimeSource time;
  private final AtomicLong said;

  Unanswered(TimeSource time) {
    this.time = time;
    this.said = new AtomicLong(time.nanoTime() - APART);
  }

  /**
   * The refusal.
   *
   * @param what could not be found out
   */
  RefusedException refusal(String what, UnansweredException cause) {
    long now = time.nanoTime();
    long last = said.get();
    if (now - last >= APART && said.compareAndSet(last, now)) {
      log.warn("the apiserver could not be asked {}: {}", what, cause.getMessage());
    }
    return new RefusedException(
        Refusal.retry(
            ErrorReason.ERROR_REASON_UPSTREAM_UNAVAILABLE,
            RETRY,
            "the apiserver could not be asked "
                + what
                + ". Try again; the log of this gateway says why."));
  }
}
