package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResponseWindowTest {
  private static final int SMALL = 1_000;
  private static final int LARGE = 1 << 20;

  private static void come(ResponseWindow ahead, int responses) {
    for (int i = 0; i < responses; i++) {
      ahead.came();
    }
  }

  @Test
  void smallResponsesAreAskedForAgainOnceHalfOfThemCame() {
    ResponseWindow ahead = ResponseWindow.ofSmallOnes();
    assertThat(ahead.one()).isEqualTo(1);
    come(ahead, 1);
    assertThat(ahead.isWaiting()).isFalse();

    assertThat(ahead.like(SMALL)).isEqualTo(8);
    come(ahead, 3);
    assertThat(ahead.like(SMALL)).isZero();
    come(ahead, 1);
    assertThat(ahead.like(SMALL)).isEqualTo(4);
    assertThat(ahead.isWaiting()).isTrue();
  }

  @Test
  void ofLargerOnesFewerAreAskedForAtATime() {
    ResponseWindow ahead = ResponseWindow.ofSmallOnes();

    assertThat(ahead.like(16 << 10)).isEqualTo(4);
    come(ahead, 4);
    assertThat(ahead.like(LARGE)).isEqualTo(1);
  }

  @Test
  void nothingIsAskedForBehindALargeOneBeforeAllThatWereAskedForCame() {
    ResponseWindow ahead = ResponseWindow.ofSmallOnes();
    assertThat(ahead.like(SMALL)).isEqualTo(8);
    come(ahead, 7);
    assertThat(ahead.like(LARGE)).isZero();
    assertThat(ahead.one()).isZero();
    come(ahead, 1);
    assertThat(ahead.one()).isEqualTo(1);
  }

  @Test
  void whoSaysWhatItWantsToHearIsAskedForOneAtATime() {
    ResponseWindow none = ResponseWindow.none();
    assertThat(none.one()).isEqualTo(1);
    come(none, 1);
    assertThat(none.like(SMALL)).isEqualTo(1);
    assertThat(none.like(SMALL)).isZero();
  }
}
