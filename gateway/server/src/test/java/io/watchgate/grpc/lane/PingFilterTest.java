package io.watchgate.grpc.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class PingFilterTest {
  private final AtomicLong nanos = new AtomicLong();
  private final PingFilter filter = new PingFilter(Duration.ofSeconds(4), nanos::get);

  private void advance(int seconds) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  /** gRPC permits them, and its keepalive learns that the client lives. */
  @Test
  void permittedPings_arePassed() {
    for (int i = 0; i < 10; i++) {
      filter.onData();
      assertThat(filter.shouldPass()).isTrue();
      advance(4);
    }
  }

  @Test
  void closePings_areHiddenAfterDataOnly() {
    assertThat(filter.shouldPass()).isTrue();
    assertThat(filter.shouldPass()).as("gRPC judges").isTrue();

    filter.onData();
    for (int i = 0; i < 3; i++) {
      assertThat(filter.shouldPass()).isFalse();
    }
    assertThat(filter.shouldPass()).isTrue();
  }

  @Test
  void dataBetweenClosePings_forgivesAllOfThem() {
    assertThat(filter.shouldPass()).isTrue();
    for (int i = 0; i < 30; i++) {
      filter.onData();
      assertThat(filter.shouldPass()).isFalse();
    }
  }
}
