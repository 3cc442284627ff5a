package io.watchgate.auth;

/** The apiserver could not be asked. It says neither yes nor no. */
public final class ReviewUnavailableException extends Exception {
  private static final long serialVersionUID = 1;

  private final String remedy;

  /**
   * @param message what failed and what to do; no secrets
   */
  public ReviewUnavailableException(String message) {
    this(message, "");
  }

  /**
   * @param message what failed and what to do; no secrets
   * @param remedy what an operator has to change, fit for callers that are not known: it names
   *     neither addresses nor accounts; empty: nothing is known
   */
  public ReviewUnavailableException(String message, String remedy) {
    super(message);
    this.remedy = remedy;
  }

  public String remedy() {
    return remedy;
  }
}
