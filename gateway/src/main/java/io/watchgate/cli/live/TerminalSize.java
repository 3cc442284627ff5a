package io.watchgate.cli.live;

/** Of a terminal, in characters. */
public record TerminalSize(int columns, int lines) {
  /** Where nothing is known. */
  public static final TerminalSize USUAL = new TerminalSize(80, 24);
}
