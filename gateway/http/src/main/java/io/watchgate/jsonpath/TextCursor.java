package io.watchgate.jsonpath;

/** Cursor in a text that is being parsed. Not thread-safe. */
final class TextCursor {
  private final String text;
  private int at;

  TextCursor(String text) {
    this.text = text;
  }

  boolean isAtEnd() {
    return at == text.length();
  }

  /** Returns the character at the cursor, 0 at the end. */
  char peek() {
    return isAtEnd() ? 0 : text.charAt(at);
  }

  boolean isAt(String expected) {
    return text.startsWith(expected, at);
  }

  /** Skips {@code expected} if it is at the cursor, and returns whether it was. */
  boolean take(String expected) {
    boolean here = isAt(expected);
    at += here ? expected.length() : 0;
    return here;
  }

  void expect(String expected, String reason) throws JsonPathException {
    if (!take(expected)) {
      throw wrong("expected '" + expected + "' " + reason + (isAtEnd() ? "" : ", found " + here()));
    }
  }

  /** Returns the character at the cursor, and advances. Not at the end. */
  char next() {
    return text.charAt(at++);
  }

  void skipBlanks() {
    while (peek() == ' ') {
      at++;
    }
  }

  String rest() {
    String rest = text.substring(at);
    at = text.length();
    return rest;
  }

  int column() {
    return at + 1;
  }

  JsonPathException wrong(String message) {
    return new JsonPathException(column(), message);
  }

  private String here() {
    return "'" + text.substring(at, text.offsetByCodePoints(at, 1)) + "'";
  }

  /**
   * Parses a text in single or double quotes at the cursor; \n, \t, \r, \\ and both quotes are
   * escaped.
   */
  String quoted() throws JsonPathException {
    int start = column();
    char quote = next();
    StringBuilder value = new StringBuilder();
    while (true) {
      if (isAtEnd()) {
        throw new JsonPathException(start, "this quotation mark is never closed");
      }
      char c = next();
      if (c == quote) {
        return value.toString();
      }
      value.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() throws JsonPathException {
    char c = peek();
    char meant =
        switch (c) {
          case 'n' -> '\n';
          case 't' -> '\t';
          case 'r' -> '\r';
          case '\\', '"', '\'' -> c;
          default ->
              throw wrong("\\ is allowed only before n, t, r, \\, \" and ' inside quotation marks");
        };
    at++;
    return meant;
  }
}
