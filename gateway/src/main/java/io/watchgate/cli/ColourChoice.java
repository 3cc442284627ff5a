package io.watchgate.cli;

import io.watchgate.cli.output.Style;

/** Value of {@code --color}. */
enum ColourChoice {
  AUTO,
  ALWAYS,
  NEVER;

  /** NO_COLOR as no-color.org has it: present and not empty. */
  Style on(Stdio stdio) {
    if (this == ALWAYS) {
      return Style.COLOURS;
    }
    if (!stdio.isTerminal(Stdio.Stream.OUT)) {
      return Style.PLAIN;
    }
    boolean unwanted =
        this == NEVER
            || !stdio.environment().getOrDefault("NO_COLOR", "").isEmpty()
            || stdio.environment().getOrDefault("TERM", "").equals("dumb");
    return unwanted ? Style.SIGNS : Style.COLOURS;
  }
}
