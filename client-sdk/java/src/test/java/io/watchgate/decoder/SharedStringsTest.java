package io.watchgate.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SharedStringsTest {
  private final SharedStrings strings = new SharedStrings();

  @Test
  void equalShortStrings_areShared() {
    String first = strings.shared(copy("ClusterFirst"));
    assertThat(strings.shared(copy("ClusterFirst"))).isSameAs(first);
  }

  @Test
  void sharedString_equalsItsArgument() {
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 100_000; i++) {
        String text = "text-" + i;
        assertThat(strings.shared(text)).isEqualTo(text);
      }
    }
  }

  @Test
  void longStrings_areNotShared() {
    String text = "x".repeat(1_000);
    strings.shared(text);
    String other = copy(text);
    assertThat(strings.shared(other)).isSameAs(other);
  }

  /** Returns a new string that is equal but not interned by the compiler. */
  private static String copy(String text) {
    return new String(text.toCharArray());
  }
}
