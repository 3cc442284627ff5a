package io.watchgate.jsonpath;

/** Syntax error in an expression of this package. */
public final class JsonPathException extends Exception {
  private final int column;

  JsonPathException(int column, String message) {
    super(message);
    this.column = column;
  }

  /**
   * Returns the column of the error, counted from 1 in UTF-16 units; the column after the last
   * character if something is missing at the end.
   */
  public int column() {
    return column;
  }
}
