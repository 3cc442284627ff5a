package io.watchgate.grpc.lane;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class PingExcuseTest {
  private final AtomicLong nanos = new AtomicLong();
  private final PingExcuse excuse = new PingExcuse(Duration.ofSeconds(4), nanos::get);

  private void advance(int seconds) {
    nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  /** gRPC permits them, and its keepalive learns that the client lives. */
  @Test
  void permittedPings_arePassed() {
    for (int i = 0; i < 10; i++) {
      excuse.onData();
      assertThat(excuse.shouldPass()).isTrue();
      advance(4);
    }
  }

  @Test
  void closePings_areForgivenAfterDataOnly() {
    assertThat(excuse.shouldPass()).isTrue();
    assertThat(excuse.shouldPass()).as("gRPC judges").isTrue();

    excuse.onData();
    for (int i = 0; i < 3; i++) {
      assertThat(excuse.shouldPass()).isFalse();
    }
    assertThat(excuse.shouldPass()).isTrue();
  }

  @Test
  void dataBetweenClosePings_forgivesAllOfThem() {
    assertThat(excuse.shouldPass()).isTrue();
    for (int i = 0; i < 30; i++) {
      excuse.onData();
      assertThat(excuse.shouldPass()).isFalse();
    }
  }
}
