package io.watchgate.ops;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.watchgate.cache.TimeSource;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class PauseMonitorTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private Duration passed = Duration.ZERO;
  private Duration jumped = Duration.ZERO;
  private final PauseMonitor pauses =
      new PauseMonitor(
          new PrometheusRegistry(),
          new TimeSource(() -> BEGIN.plus(passed).plus(jumped), () -> passed.toNanos()));

  private void checkAfter(Duration duration) {
    passed = passed.plus(duration);
    pauses.check();
  }

  @Test
  void regularTicks_countNoPause() {
    for (int i = 0; i < 10_000; i++) {
      checkAfter(PauseMonitor.SHORTEST.minusMillis(1));
    }

    assertThat(pauses.count()).isZero();
  }

  @Test
  void lateTick_countsOnePause() {
    checkAfter(Duration.ofMinutes(1));
    checkAfter(Duration.ofMillis(500));
    assertThat(pauses.count()).isOne();

    checkAfter(PauseMonitor.SHORTEST);
    assertThat(pauses.count()).isEqualTo(2);
  }

  /** A machine that slept, and a step of its clock, look the same. */
  @Test
  void wallClockJump_countsAsPause() {
    jumped = Duration.ofHours(8);
    checkAfter(Duration.ofMillis(500));
    assertThat(pauses.count()).isOne();

    jumped = Duration.ofHours(7);
    checkAfter(Duration.ofMillis(500));
    assertThat(pauses.count()).isEqualTo(2);
  }
}
