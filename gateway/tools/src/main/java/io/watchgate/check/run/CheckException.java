package io.watchgate.check.run;

/**
 * Failure of a run before anything could be judged. The message names the reason and the remedy.
 */
public final class CheckException extends Exception {
  private static final long serialVersionUID = 1;

  CheckException(String message) {
    super(message);
  }
}
