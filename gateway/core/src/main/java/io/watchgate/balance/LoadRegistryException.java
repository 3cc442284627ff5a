package io.watchgate.balance;

/** Failure to read or write the registry; the message is for a person. */
public final class LoadRegistryException extends Exception {
  private static final long serialVersionUID = 1L;

  public LoadRegistryException(String message) {
    super(message);
  }
}
