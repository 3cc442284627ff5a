package io.watchgate.cli.live;

/** Size of a terminal, in characters. */
public record TerminalSize(int columns, int lines) {
  /** Default if the size is unknown. */
  public static final TerminalSize DEFAULT = new TerminalSize(80, 24);
}
