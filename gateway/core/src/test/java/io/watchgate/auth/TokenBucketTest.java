package io.watchgate.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of burst and rate, also where {@code nanoTime} overflows. */
final class TokenBucketTest {
  private long now;

  private int taken(TokenBucket bucket) {
    int taken = 0;
    while (bucket.tryTake(now)) {
      taken++;
    }
    return taken;
  }

  private void pass(Duration duration) {
    now += duration.toNanos();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MIN_VALUE, Long.MAX_VALUE - 2_000_000_000})
  void tokens_refillUpToCapacity(long begin) {
    now = begin;
    TokenBucket bucket = new TokenBucket(10, 2, now);
    assertThat(bucket.isFull(now)).isTrue();
    assertThat(taken(bucket)).isEqualTo(10);
    assertThat(bucket.isEmpty(now)).isTrue();
    assertThat(bucket.isFull(now)).isFalse();

    pass(Duration.ofMillis(499));
    assertThat(bucket.tryTake(now)).isFalse();
    pass(Duration.ofMillis(1));
    assertThat(taken(bucket)).isEqualTo(1);
    pass(Duration.ofSeconds(3));
    assertThat(taken(bucket)).isEqualTo(6);
    pass(Duration.ofHours(1));
    assertThat(bucket.isFull(now)).isTrue();
    assertThat(taken(bucket)).isEqualTo(10);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 1_000})
  void rate_isIndependentOfAttempts(int perSecond) {
    TokenBucket bucket = new TokenBucket(1, perSecond, now);
    assertThat(bucket.tryTake(now)).isTrue();
    int taken = 0;
    for (int i = 0; i < 100_000; i++) {
      pass(Duration.ofMillis(1));
      if (bucket.tryTake(now)) {
        taken++;
      }
    }

    assertThat(taken).isBetween(100 * perSecond * 98 / 100, 100 * perSecond);
  }
}
