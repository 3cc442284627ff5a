package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.fanout.OutboundBytes.Pressure;
import org.junit.jupiter.api.Test;

/**
 * Tests that bytes of a user count for the user and for all, and bytes of ended streams for the
 * user.
 */
final class OutboundBytesTest {
  private static final long CHARGE = ResponseSink.READY_BYTES + 1_000;

  private final OutboundBytes all = new OutboundBytes(10 * CHARGE);
  private final OutboundBytes one = all.forUser(3 * CHARGE);
  private final OutboundBytes other = all.forUser(3 * CHARGE);

  @Test
  void userAboveTheLimit_doesNotAffectOthers() {
    for (int i = 0; i < 4; i++) {
      one.charge(ResponseSink.READY_BYTES + 1_000);
    }

    assertThat(one.pressure()).isEqualTo(Pressure.OVER);
    assertThat(other.pressure()).isEqualTo(Pressure.NONE);
    assertThat(all.bytes()).isEqualTo(4 * CHARGE);
  }

  @Test
  void pressureOfAllStreams_appliesToEachUser() {
    OutboundBytes third = all.forUser(100 * CHARGE);
    for (int i = 0; i < 11; i++) {
      third.charge(ResponseSink.READY_BYTES + 1_000);
    }

    assertThat(one.pressure()).isEqualTo(Pressure.OVER);
    third.release(11 * CHARGE);
    assertThat(one.pressure()).isEqualTo(Pressure.NONE);
    assertThat(all.bytes()).isZero();
  }

  @Test
  void aboveTwiceTheLimit_isFarOver() {
    for (int i = 0; i < 6; i++) {
      one.charge(ResponseSink.READY_BYTES + 1_000);
    }
    assertThat(one.pressure()).isEqualTo(Pressure.OVER);
    one.charge(ResponseSink.READY_BYTES + 1_000);

    assertThat(one.pressure()).isEqualTo(Pressure.FAR_OVER);
    assertThat(other.pressure()).isEqualTo(Pressure.NONE);
  }

  /**
   * Otherwise a user who never reads would gain room for further streams whenever some are closed.
   */
  @Test
  void bytesOfEndedStreams_countForTheirUserOnly() {
    one.charge(ResponseSink.READY_BYTES + 1_000);
    one.releaseShared(CHARGE);

    assertThat(all.bytes()).isZero();
    assertThat(one.bytes()).isEqualTo(CHARGE);
    one.releaseOwn(CHARGE);
    assertThat(one.bytes()).isZero();
    assertThat(all.bytes()).isZero();
  }

  @Test
  void withoutUsers_releaseLeavesNoCharge() {
    all.charge(ResponseSink.READY_BYTES + 1_000);
    all.releaseShared(CHARGE);
    all.releaseOwn(CHARGE);

    assertThat(all.bytes()).isZero();
  }
}
