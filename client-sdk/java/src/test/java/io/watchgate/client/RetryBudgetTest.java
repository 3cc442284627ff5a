package io.watchgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that thousands of watches of one client do not retry all at once. */
class RetryBudgetTest {
  private final ManualTimers timers = new ManualTimers();
  private final RetryBudget budget = new RetryBudget(timers);

  @Test
  void burstOfHundred_thenHundredPerSecond() {
    List<Duration> waits = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      waits.add(budget.reserve(Duration.ZERO));
    }

    assertThat(waits.subList(0, 100)).containsOnly(Duration.ZERO);
    assertThat(waits.get(199)).isEqualTo(Duration.ofSeconds(1));
    assertThat(waits.get(999)).isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void longerWait_isNotExtended() {
    assertThat(budget.reserve(Duration.ofSeconds(20))).isEqualTo(Duration.ofSeconds(20));
  }

  @Test
  void afterIdleSecond_burstIsAvailableAgain() {
    for (int i = 0; i < 100; i++) {
      var unused = budget.reserve(Duration.ZERO);
    }
    timers.pass(Duration.ofHours(1));

    for (int i = 0; i < 100; i++) {
      assertThat(budget.reserve(Duration.ZERO)).isEqualTo(Duration.ZERO);
    }
    assertThat(budget.reserve(Duration.ZERO)).isPositive();
  }
}
