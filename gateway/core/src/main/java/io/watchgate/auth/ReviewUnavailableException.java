package io.watchgate.auth;

/** Failure to get an answer from the apiserver, which is neither yes nor no. */
public final class ReviewUnavailableException extends Exception {
  private final String remedy;

  /**
   * Creates an exception without a remedy.
   *
   * @param message the failure and the remedy; no secrets
   */
  public ReviewUnavailableException(String message) {
    this(message, "");
  }

  /**
   * Creates an exception.
   *
   * @param message the failure and the remedy; no secrets
   * @param remedy action for an operator, fit for unauthenticated callers: it names neither
   *     addresses nor accounts; empty: unknown
   */
  public ReviewUnavailableException(String message, String remedy) {
    super(message);
    this.remedy = remedy;
  }

  public String remedy() {
    return remedy;
  }
}
