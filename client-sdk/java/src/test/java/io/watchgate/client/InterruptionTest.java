package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import io.grpc.Status;
import io.watchgate.proto.v1.GoingAwayReason;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class InterruptionTest {
  @Test
  void goingAway_namesReasonOfContract() {
    assertThat(message(GoingAwayReason.GOING_AWAY_REASON_DRAINING))
        .isEqualTo("the gateway asked the client to reconnect: DRAINING");
  }

  @Test
  void goingAway_unknownReason_hasMessage() {
    assertThat(message(GoingAwayReason.UNRECOGNIZED)).endsWith(": UNRECOGNIZED");
  }

  @Test
  void failure_hasCodeAndMessageOfError() {
    WatchError error = WatchError.of(Status.UNAVAILABLE.withDescription("gone"), new Metadata());
    assertThat(new Interruption.Failed(error).message())
        .isEqualTo("UNAVAILABLE " + error.message());
  }

  @Test
  void silenceAndTooLargeGroup_nameTheirLimits() {
    assertThat(new Interruption.Silence(Duration.ofSeconds(90)).message())
        .isEqualTo("the stream was silent for 90 s");
    assertThat(new Interruption.GroupTooLarge(1000).message())
        .isEqualTo("changes that belong together exceeded 1000 bytes");
  }

  private static String message(GoingAwayReason reason) {
    return new Interruption.GoingAway(reason, Duration.ZERO).message();
  }
}
