package io.watchgate.balance;

/** The board cannot be read or written; the message is for a person. */
public final class BoardException extends Exception {
  private static final long serialVersionUID = 1L;

  public BoardException(String message) {
    super(message);
  }
}
