package io.watchgate.cli.live;

/** Size of a terminal, in characters. */
public record TerminalSize(int columns, int lines) {
  /** Default if the size is unknown. */
  public static final TerminalSize USUAL = new TerminalSize(80, 24);
}
