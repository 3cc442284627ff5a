package io.watchgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Wait of a write for the slowest reader of the write one window before it. */
class InFlightLimitTest {
  private static final int OBJECTS = 2;

  private final InFlightLimit window = new InFlightLimit(4, new int[] {2, 1});
  private final InFlightLimit.Share first = new InFlightLimit.Share(new int[] {2, 1}, window);
  private final InFlightLimit.Share second = new InFlightLimit.Share(new int[] {1, 0}, window);

  private boolean enters(long number) throws InterruptedException {
    return window.tryAcquire(number, 0);
  }

  @Test
  void writes_upToLimit_areInFlight() throws InterruptedException {
    for (int number = 0; number < 4; number++) {
      assertThat(enters(number)).isTrue();
    }
    assertThat(enters(4)).isFalse();
  }

  @Test
  void slot_lastReaderReceived_isReleased() throws InterruptedException {
    assertThat(enters(0)).isTrue();
    first.readerReceived(0);
    second.readerReceived(0);
    assertThat(enters(4)).isFalse();
    first.readerReceived(0);
    assertThat(enters(4)).isTrue();
    assertThat(4 % OBJECTS).isZero();
  }

  @Test
  void write_waitsForReadersOfItsObjectOnly() throws InterruptedException {
    assertThat(enters(1)).isTrue();
    first.readerReceived(1);
    assertThat(enters(5)).isTrue();
  }

  @Test
  void write_withoutReaders_doesNotBlock() throws InterruptedException {
    InFlightLimit unread = new InFlightLimit(1, new int[] {0});
    assertThat(unread.tryAcquire(0, 0)).isTrue();
    assertThat(unread.tryAcquire(1, 0)).isTrue();
  }
}
