package io.watchgate.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class PauseDetectorTest {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private final VirtualTime timer = new VirtualTime();
  private final AtomicReference<Duration> jumped = new AtomicReference<>(Duration.ZERO);
  private final PauseDetector detector =
      new PauseDetector(
          new TimeSource(
              () -> BEGIN.plusNanos(timer.source().nanoTime()).plus(jumped.get()),
              () -> timer.source().nanoTime()),
          timer);

  @Test
  void whileTheTimerRunsThereIsNoPauseHoweverMuchTimePasses() {
    timer.advance(Duration.ofHours(1));

    assertThat(detector.pauses()).isZero();
  }

  @Test
  void aPauseIsKnownBeforeTheTimerRunsAgainAndCountsOnce() {
    timer.advance(Duration.ofSeconds(10));
    timer.pause(PauseDetector.SHORTEST);

    assertThat(detector.pauses()).isOne();

    timer.advance(Duration.ofMinutes(1));
    assertThat(detector.pauses()).isOne();

    timer.pause(Duration.ofMinutes(1));
    assertThat(detector.pauses()).isEqualTo(2);
  }

  @Test
  void aShortPauseIsNone() {
    timer.pause(PauseDetector.SHORTEST.minusMillis(1));

    assertThat(detector.pauses()).isZero();
  }

  /** A machine that was asleep, or a step of its clock: they look the same. */
  @Test
  void aJumpOfTheWallClockIsAPauseInEitherDirection() {
    timer.advance(Duration.ofSeconds(10));
    jumped.set(Duration.ofHours(8));
    timer.advance(Duration.ofSeconds(10));
    assertThat(detector.pauses()).isOne();

    jumped.set(Duration.ofHours(7));
    timer.advance(Duration.ofSeconds(10));
    assertThat(detector.pauses()).isEqualTo(2);
  }

  @Test
  void closedItLeavesNothingWaiting() {
    detector.close();

    assertThat(timer.waiting()).isZero();
  }
}
