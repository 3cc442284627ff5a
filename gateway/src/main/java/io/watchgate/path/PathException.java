package io.watchgate.path;

/** A text that is no expression of this package. */
public final class PathException extends Exception {
  private static final long serialVersionUID = 1;

  private final int column;

  PathException(int column, String message) {
    super(message);
    this.column = column;
  }

  /**
   * At which character it went wrong, counted from 1 in UTF-16 units; one beyond the last where
   * something is missing.
   */
  public int column() {
    return column;
  }
}
