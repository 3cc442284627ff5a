package io.watchgate.auth;

/** The apiserver could not be asked. It says neither yes nor no. */
public final class UnansweredException extends Exception {
  private static final long serialVersionUID = 1;

  /**
   * @param message what failed and what to do; no secrets
   */
  public UnansweredException(String message) {
    super(message);
  }
}
