package io.watchgate.cli.live;

/** Of a terminal, in characters. */
public record Size(int columns, int lines) {
  /** Where nothing is known. */
  public static final Size USUAL = new Size(80, 24);
}
