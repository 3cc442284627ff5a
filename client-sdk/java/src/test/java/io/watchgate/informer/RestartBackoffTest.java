package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of the waits before restarts. */
final class RestartBackoffTest {
  private long now = Long.MAX_VALUE - 1_000;

  @Test
  void firstRestart_isImmediate_thenBoundDoublesUntilReset() {
    long seed = new Random().nextLong();
    RestartBackoff restarts = new RestartBackoff(() -> now, new Random(seed));
    assertThat(restarts.next()).isZero();
    long bound = 250;
    Duration sum = Duration.ZERO;
    for (int i = 0; i < 50; i++) {
      Duration wait = restarts.next();
      assertThat(wait.toMillis()).as("seed %d", seed).isLessThan(bound);
      bound = Math.min(2 * bound, 30_000);
      now += wait.toNanos();
      sum = sum.plus(wait);
    }
    assertThat(sum).as("seed %d", seed).isGreaterThan(Duration.ofMinutes(5));
    now += Duration.ofMinutes(3).toNanos();
    assertThat(restarts.next()).isZero();
    assertThat(restarts.count()).isEqualTo(52);
  }
}
