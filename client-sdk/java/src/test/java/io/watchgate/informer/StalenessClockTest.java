package io.watchgate.informer;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.watchgate.client.Position;
import io.watchgate.client.WatchUpdate.Bookmark;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests with two clocks, of which only differences matter. */
final class StalenessClockTest {
  private static final Instant THERE = Instant.parse("2001-01-01T00:00:00Z");

  private long now = Long.MAX_VALUE - 1_000;
  private final StalenessClock freshness = new StalenessClock(() -> now);

  private void pass(Duration time) {
    now += time.toNanos();
  }

  private static Bookmark bookmark(Optional<Position> position, Duration behind) {
    return new Bookmark(position, Optional.of(THERE.minus(behind)), Optional.of(THERE));
  }

  private static Optional<Position> somewhere() {
    return Optional.of(new Position("7", ByteString.EMPTY));
  }

  @Test
  void reportedStaleness_growsWithLocalTime() {
    assertThat(freshness.staleness()).isEmpty();
    freshness.record(Duration.ofSeconds(2));
    pass(Duration.ofSeconds(3));
    assertThat(freshness.staleness()).contains(Duration.ofSeconds(5));

    freshness.record(bookmark(somewhere(), Duration.ofMillis(10)));
    assertThat(freshness.staleness()).contains(Duration.ofMillis(10));
  }

  @Test
  void bookmarkWithoutPositionOrTimes_isIgnored() {
    freshness.record(Duration.ofSeconds(2));
    pass(Duration.ofSeconds(1));
    freshness.record(bookmark(Optional.empty(), Duration.ZERO));
    freshness.record(new Bookmark(somewhere(), Optional.empty(), Optional.of(THERE)));

    assertThat(freshness.staleness()).contains(Duration.ofSeconds(3));
  }

  @Test
  void gatewayClockSetBack_stalenessIsZero() {
    freshness.record(bookmark(somewhere(), Duration.ofSeconds(-5)));

    assertThat(freshness.staleness()).contains(Duration.ZERO);
  }

  @Test
  void hugeAge_isLimited() {
    freshness.record(new Bookmark(somewhere(), Optional.of(Instant.MIN), Optional.of(Instant.MAX)));

    assertThat(freshness.staleness().orElseThrow()).isGreaterThan(Duration.ofDays(300));
  }
}
