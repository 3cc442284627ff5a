package io.watchgate.balance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many are too many. */
final class ShareTest {
  @ParameterizedTest
  @CsvSource({
    // own, others, surplus
    "100, '', 0",
    "100, 100 100, 0",
    "110, 100 90, 0",
    "121, 100 100, 14",
    "100, 0, 50",
    "100, 100 100 0 0 0, 50",
    "40, 100 100, 0",
    "3, 0 0, 0",
    "9, 0 0, 6",
    "2000000000, 0, 1000000000",
  })
  void isWhatIsClearlyBeyondTheMean(int own, String others, int surplus) {
    List<Integer> counts =
        others.isEmpty()
            ? List.of()
            : Arrays.stream(others.split(" ")).map(Integer::valueOf).toList();

    assertThat(Share.surplus(own, counts)).isEqualTo(surplus);
  }
}
