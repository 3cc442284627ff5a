package io.watchgate.e2e.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Use of credentials that expire while a stream is open. They are valid for a few seconds, and for
 * longer if a busy machine needs longer to open the stream.
 */
final class ShortLived {
  private static final Duration SHORTEST = Duration.ofSeconds(6);
  private static final Duration LONGEST = Duration.ofSeconds(48);

  private ShortLived() {}

  /** Use of credentials with an expiry. */
  interface Attempt {
    /** Returns false if the stream did not begin in time; its expiry is then a later one. */
    boolean hasBegun(Instant expires);
  }

  /**
   * Repeats an attempt until its stream has begun in time. Half of a lifetime must be enough for
   * that: so early no gateway ends a stream, or asks for other credentials.
   */
  static void untilBegun(Attempt attempt) {
    for (Duration lifetime = SHORTEST; ; lifetime = lifetime.multipliedBy(2)) {
      Instant begin = Instant.now();
      // Tokens and certificates have no fraction of a second.
      Instant expires = begin.plus(lifetime).truncatedTo(ChronoUnit.SECONDS);
      if (attempt.hasBegun(expires)) {
        return;
      }
      assertThat(Instant.now())
          .as("time at which no stream had begun")
          .isAfter(begin.plus(Duration.between(begin, expires).dividedBy(2)));
      assertThat(lifetime).as("lifetime that was too short").isLessThan(LONGEST);
    }
  }
}
