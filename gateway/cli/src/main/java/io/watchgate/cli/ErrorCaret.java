package io.watchgate.cli;

import io.watchgate.cli.output.TerminalEscaper;

/** Marker of an error's column in a typed text. */
final class ErrorCaret {
  private ErrorCaret() {}

  /**
   * Returns two indented lines, the second one with a caret below the column; no newline at the
   * end.
   *
   * @param column counted from 1; at most one after the last character
   */
  static String below(String text, int column) {
    int at = Math.clamp(column - 1L, 0, text.length());
    String before = TerminalEscaper.inLine(text.substring(0, at));
    return "  "
        + before
        + TerminalEscaper.inLine(text.substring(at))
        + "\n  "
        + " ".repeat(before.codePointCount(0, before.length()))
        + "^";
  }
}
