package io.watchgate.check.run;

/** Nothing could be judged; the message says why, and what to do. */
public final class CheckException extends Exception {
  private static final long serialVersionUID = 1;

  CheckException(String message) {
    super(message);
  }
}
