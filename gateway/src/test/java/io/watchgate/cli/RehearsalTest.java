package io.watchgate.cli;

import static org.assertj.core.api.Assertions.assertThatNoException;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class RehearsalTest {
  @Test
  @Timeout(20)
  void aSubscriberIsServedASnapshotAResumedStreamAndAChange() {
    assertThatNoException().isThrownBy(Rehearsal::play);
  }

  @Test
  @Timeout(20)
  void itEndsAndASecondOneIsNone() throws Exception {
    Rehearsal.begin().get(15, TimeUnit.SECONDS);
    Rehearsal.begin().get(0, TimeUnit.SECONDS);
  }
}
