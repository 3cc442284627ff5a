package io.watchgate.select;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** Check of the refusal of a selector. */
final class Refused {
  private Refused() {}

  static void check(SelectionException refusal, String text) {
    assertThat(refusal).message().isNotBlank();
    assertThat(refusal.field()).startsWith("selection.");
    assertThat(refusal.column()).isBetween(0, text.codePointCount(0, text.length()) + 1);
    assertThat(refusal.column() == 0).isEqualTo(isTooLong(text));
  }

  /**
   * Returns whether the text is refused for its length alone. This can happen to the canonical text
   * of a selector near the limit: it has a space after {@code in}, and the full names for aliases.
   */
  static boolean isTooLong(String text) {
    return text.getBytes(UTF_8).length > CompiledSelection.MAX_SELECTOR_BYTES;
  }
}
