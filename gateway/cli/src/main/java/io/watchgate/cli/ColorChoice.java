package io.watchgate.cli;

import io.watchgate.cli.output.RowStyle;

/** Value of {@code --color}. */
enum ColorChoice {
  AUTO,
  ALWAYS,
  NEVER;

  /**
   * Returns the style for stdout. NO_COLOR follows no-color.org: it counts if present and not
   * empty.
   */
  RowStyle styleFor(Stdio stdio) {
    if (this == ALWAYS) {
      return RowStyle.COLORS;
    }
    if (!stdio.isTerminal(Stdio.Stream.OUT)) {
      return RowStyle.PLAIN;
    }
    boolean unwanted =
        this == NEVER
            || !stdio.environment().getOrDefault("NO_COLOR", "").isEmpty()
            || stdio.environment().getOrDefault("TERM", "").equals("dumb");
    return unwanted ? RowStyle.SIGNS : RowStyle.COLORS;
  }
}
