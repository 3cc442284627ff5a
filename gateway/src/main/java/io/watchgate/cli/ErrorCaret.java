package io.watchgate.cli;

import io.watchgate.cli.output.TerminalEscaper;

/** Shows a place in a text that somebody typed. */
final class ErrorCaret {
  private ErrorCaret() {}

  /**
   * Two lines, indented, the second one with a caret below the place; no newline at the end.
   *
   * @param column counted from 1; one beyond the last character at most
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
