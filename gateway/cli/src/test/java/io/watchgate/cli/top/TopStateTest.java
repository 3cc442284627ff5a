package io.watchgate.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.watchgate.cli.top.TopState.Flag;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Effect of the keys of the live table. */
final class TopStateTest {
  private static final TopState BEGIN = new TopState(StreamSort.BEHIND, 20, Set.of());

  private static TopState after(String keys) {
    TopState state = BEGIN;
    for (int i = 0; i < keys.length(); i++) {
      state = state.after(keys.charAt(i));
    }
    return state;
  }

  @ParameterizedTest
  @CsvSource({"b, BEHIND", "s, SECONDS", "y, BYTES", "n, SENT", "o, OPENED", "nxB, SENT"})
  void letter_sorts(String keys, StreamSort sort) {
    assertThat(after(keys)).isEqualTo(new TopState(sort, 20, Set.of()));
    assertThat(after(keys).asksAs(BEGIN)).isEqualTo(sort == StreamSort.BEHIND);
  }

  @ParameterizedTest
  @CsvSource({"+, 25", "=, 25", "-, 15", "----, 1", "-----, 1", "----+, 5", "----++, 10"})
  void plusAndMinus_changeTheLimit(String keys, int limit) {
    assertThat(after(keys).limit()).isEqualTo(limit);
    assertThat(after(keys).asksAs(BEGIN)).isFalse();
  }

  @Test
  void limit_hasTheBoundOfTheOption() {
    assertThat(after("+".repeat(500)).limit()).isEqualTo(1_000);
  }

  @Test
  void flags_areSwitchedOnAndOff() {
    assertThat(after(" ").flags()).containsExactly(Flag.PAUSED);
    assertThat(after("pp").flags()).isEmpty();
    assertThat(after("?p").flags()).containsExactlyInAnyOrder(Flag.HELP, Flag.PAUSED);
    assertThat(after("h?").flags()).isEmpty();
    assertThat(after("q").has(Flag.ENDED)).isTrue();
    assertThat(after("p?q").asksAs(BEGIN)).isTrue();
  }

  @Test
  void lines_fitATerminal_sayTheState() {
    assertThat(after("").lines())
        .containsExactly("sorted by behind, at most 20 rows; ? shows the keys");
    assertThat(after("n ?").lines())
        .hasSize(2)
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80))
        .first()
        .isEqualTo("sorted by sent, at most 20 rows, paused: space continues");
  }
}
