package io.watchgate.balance;

/** Failure to read or write the registry; the message is for a person. */
public final class LoadRegistryException extends Exception {
  public LoadRegistryException(String message) {
    super(message);
  }
}
