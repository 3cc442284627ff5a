package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BackoffTest {
  private static final Duration BASE = Duration.ofMillis(500);
  private static final Duration CAP = Duration.ofSeconds(30);

  @Test
  void waits_areRandomBelowDoublingBound() {
    long[] bounds = {500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000};
    Duration[] longest = new Duration[bounds.length];
    for (long seed = 0; seed < 2_000; seed++) {
      Backoff backoff = new Backoff(BASE, CAP, new Random(seed));
      for (int i = 0; i < bounds.length; i++) {
        Duration wait = backoff.next(Duration.ZERO);
        assertThat(wait).isBetween(Duration.ZERO, Duration.ofMillis(bounds[i]));
        longest[i] = longest[i] == null || wait.compareTo(longest[i]) > 0 ? wait : longest[i];
      }
    }
    for (int i = 0; i < bounds.length; i++) {
      assertThat(longest[i]).isGreaterThan(Duration.ofMillis(bounds[i] * 9 / 10));
    }
  }

  @Test
  void serverWait_isLowerBound() {
    Backoff backoff = new Backoff(BASE, CAP, new Random(3));
    for (int i = 0; i < 100; i++) {
      assertThat(backoff.next(Duration.ofSeconds(7)))
          .isBetween(Duration.ofSeconds(7), Duration.ofSeconds(37));
    }
  }

  @Test
  void manyFailuresDoNotOverflow() {
    Backoff backoff = new Backoff(Duration.ofMinutes(10), Duration.ofHours(1), new Random(4));
    for (int i = 0; i < 200; i++) {
      assertThat(backoff.next(Duration.ZERO)).isBetween(Duration.ZERO, Duration.ofHours(1));
    }
    assertThat(backoff.failures()).isEqualTo(200);
  }

  @Test
  void success_resetsBackoff() {
    Backoff backoff = new Backoff(BASE, CAP, new Random(5));
    for (int i = 0; i < 10; i++) {
      backoff.next(Duration.ZERO);
    }
    backoff.reset();
    assertThat(backoff.failures()).isZero();
    assertThat(backoff.next(Duration.ZERO)).isLessThanOrEqualTo(BASE);
  }
}
