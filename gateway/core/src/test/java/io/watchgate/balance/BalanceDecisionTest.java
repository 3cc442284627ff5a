package io.watchgate.balance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the surplus and of the redirects. */
final class BalanceDecisionTest {
  @ParameterizedTest
  @CsvSource({
    // own, others, surplus, refused beyond, at most
    "100, '', 0, 0, 0",
    "100, 100 100, 0, 0, 0",
    "110, 100 95, 0, 0, 0",
    "121, 100 100, 14, 0, 0",
    "100, 0, 50, 50, 50",
    "100, 100 100 0 0 0, 50, 50, 150",
    "40, 100 100, 0, 0, 0",
    "100, 60 100, 13, 87, 26",
    "100, 100 100 100 100 100 100 100 100 100 100 100 0, 7, 93, 92",
    "3, 0 0, 0, 0, 0",
    "9, 0 0, 6, 0, 0",
    "13, 0 0, 8, 5, 8",
    "2000000000, 0, 1000000000, 1000000000, 1000000000",
  })
  void surplus_isShedOnClearDeviation(int own, String others, int surplus, int beyond, int most) {
    List<Integer> counts =
        others.isEmpty()
            ? List.of()
            : Arrays.stream(others.split(" ")).map(Integer::valueOf).toList();

    assertThat(BalanceDecision.of(own, counts))
        .isEqualTo(
            new BalanceDecision(
                surplus, beyond == 0 ? RedirectQuota.NONE : new RedirectQuota(beyond, most)));
  }
}
