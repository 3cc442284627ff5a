package io.watchgate.balance;

/** The board cannot be read or written; the message is for a person. */
public final class LoadRegistryException extends Exception {
  private static final long serialVersionUID = 1L;

  public LoadRegistryException(String message) {
    super(message);
  }
}
