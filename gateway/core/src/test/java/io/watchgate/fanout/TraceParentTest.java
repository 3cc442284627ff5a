package io.watchgate.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TraceParentTest {
  private static final String VALID = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  @Test
  void validValue_isKept() {
    assertThat(TraceParent.of(List.of(VALID))).isEqualTo(VALID);
  }

  @Test
  void laterVersion_isKeptWithoutWhatFollows() {
    String later = "cc" + VALID.substring(2);
    assertThat(TraceParent.of(List.of(later))).isEqualTo(later);
    assertThat(TraceParent.of(List.of(later + "-what-follows"))).isEqualTo(later);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01"
      })
  void invalidValue_isNone(String value) {
    assertThat(TraceParent.of(List.of(value))).isEmpty();
  }

  @Test
  void noValueOrSeveral_areNone() {
    assertThat(TraceParent.of(List.of())).isEmpty();
    assertThat(TraceParent.of(List.of(VALID, VALID))).isEmpty();
  }
}
