package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResponseWindowTest {
  private static final int SMALL = 1_000;
  private static final int LARGE = 1 << 20;

  private static void come(ResponseWindow ahead, int responses) {
    for (int i = 0; i < responses; i++) {
      ahead.recordResponse();
    }
  }

  @Test
  void smallResponses_areRequestedAfterHalfArrived() {
    ResponseWindow ahead = ResponseWindow.ofSmallResponses();
    assertThat(ahead.refillOne()).isEqualTo(1);
    come(ahead, 1);
    assertThat(ahead.isWaiting()).isFalse();

    assertThat(ahead.refillFor(SMALL)).isEqualTo(8);
    come(ahead, 3);
    assertThat(ahead.refillFor(SMALL)).isZero();
    come(ahead, 1);
    assertThat(ahead.refillFor(SMALL)).isEqualTo(4);
    assertThat(ahead.isWaiting()).isTrue();
  }

  @Test
  void largerResponses_areRequestedInSmallerNumbers() {
    ResponseWindow ahead = ResponseWindow.ofSmallResponses();

    assertThat(ahead.refillFor(16 << 10)).isEqualTo(4);
    come(ahead, 4);
    assertThat(ahead.refillFor(LARGE)).isEqualTo(1);
  }

  @Test
  void largeResponse_waitsForAllOutstanding() {
    ResponseWindow ahead = ResponseWindow.ofSmallResponses();
    assertThat(ahead.refillFor(SMALL)).isEqualTo(8);
    come(ahead, 7);
    assertThat(ahead.refillFor(LARGE)).isZero();
    assertThat(ahead.refillOne()).isZero();
    come(ahead, 1);
    assertThat(ahead.refillOne()).isEqualTo(1);
  }

  @Test
  void onDemandListener_requestsOneAtATime() {
    ResponseWindow none = ResponseWindow.ofOne();
    assertThat(none.refillOne()).isEqualTo(1);
    come(none, 1);
    assertThat(none.refillFor(SMALL)).isEqualTo(1);
    assertThat(none.refillFor(SMALL)).isZero();
  }
}
